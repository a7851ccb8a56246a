import type { KeyObject } from "node:crypto"
import { link, rename } from "node:fs/promises"
import { join } from "node:path"
import { syncFolder, timeStamp } from "../db/data-folder.ts"
import { locksRows } from "../db/engine.ts"
import type { Db } from "../db/schema.ts"
import { inTransaction } from "../db/transaction.ts"
import { keptKeyPrefix, readRootKey, rootKeyFile } from "./root-key.ts"
import { canaryOpens, newCanary, rewrapDataKey, unwrapDataKey } from "./secrets.ts"

// The steps of replacing the root key. Each leaves every row readable to whoever holds either key, and each can be done
// again: a rotation that was ended on the way goes on from wherever it was.

export interface BothKeys {
  previous: KeyObject
  next: KeyObject
}

/** Where the next root key waits until it takes its place. */
export const nextKeyFile = `${rootKeyFile}.next`

/** Few enough that nobody waits for long behind them. */
const pieceSize = 100

/** From this commit on, new collections are wrapped under the next key: their makers hold the canary until theirs. */
export function switchCanary(db: Db, { next }: BothKeys): Promise<void> {
  return inTransaction(db, async (tx) => {
    const row = await tx
      .selectFrom("canary")
      .select("sealed")
      .where("id", "=", 1)
      .$if(locksRows(tx), (query) => query.forUpdate())
      .executeTakeFirstOrThrow()
    if (canaryOpens(next, row.sealed)) return
    await tx
      .updateTable("canary")
      .set({ sealed: newCanary(next) })
      .where("id", "=", 1)
      .execute()
  })
}

export interface Rewrapped {
  /** How many are now under the next key. */
  count: number
  /** Which were damaged before, so that no key opens them. */
  damaged: { id: number; name: string }[]
}

/** Brings every collection's key under the next root key, a piece at a time. Those made since the switch have it already. */
export async function rewrapAll(db: Db, keys: BothKeys): Promise<Rewrapped> {
  const outcome: Rewrapped = { count: 0, damaged: [] }
  const newest = await db.selectFrom("collection").select("id").orderBy("id", "desc").limit(1).executeTakeFirst()
  for (let last = 0; last < (newest?.id ?? 0); ) {
    const rows = await inTransaction(db, (tx) => rewrapPiece(tx, keys, last))
    const end = rows.at(-1)
    if (end === undefined) break
    last = end.id
    for (const { id, name, isOpen } of rows) {
      if (isOpen) outcome.count += 1
      else outcome.damaged.push({ id, name })
    }
  }
  return outcome
}

async function rewrapPiece(tx: Db, { previous, next }: BothKeys, after: number) {
  const rows = await tx
    .selectFrom("collection")
    .select(["id", "name", "data_key as wrapped"])
    .where("id", ">", after)
    .orderBy("id")
    .limit(pieceSize)
    .execute()
  const seen: { id: number; name: string; isOpen: boolean }[] = []
  for (const { id, name, wrapped } of rows) {
    const moved = rewrapDataKey({ from: previous, to: next }, id, wrapped)
    if (moved !== undefined) await replaceDataKey(tx, { id, wrapped, moved })
    seen.push({ id, name, isOpen: moved !== undefined || unwrapDataKey([next], id, wrapped) !== undefined })
  }
  return seen
}

/** Only what was looked at is replaced: another run of this may have been faster. */
async function replaceDataKey(
  tx: Db,
  { id, wrapped, moved }: { id: number; wrapped: Uint8Array; moved: Uint8Array },
): Promise<void> {
  await tx
    .updateTable("collection")
    .set({ data_key: moved })
    .where("id", "=", id)
    .where("data_key", "=", wrapped)
    .execute()
}

/** Puts the next key in the place of the one before it, in one step, and keeps that beside it. Says under which name. */
export async function replaceKeyFile(dataDir: string, { previous }: BothKeys, begunAt: number): Promise<string> {
  const kept = await keepKeyFile(dataDir, previous, begunAt)
  await rename(join(dataDir, nextKeyFile), join(dataDir, rootKeyFile))
  await syncFolder(dataDir)
  return kept
}

/** Named after the rotation's beginning, so that going on with it keeps no second copy; never in another key's place. */
async function keepKeyFile(dataDir: string, previous: KeyObject, begunAt: number): Promise<string> {
  const first = join(dataDir, `${keptKeyPrefix}${timeStamp(new Date(begunAt))}`)
  for (let copy = 1; ; copy++) {
    const kept = copy === 1 ? first : `${first}-${copy}`
    const there = await readRootKey(kept)
    if (there?.equals(previous)) return kept
    if (there !== undefined) continue
    await link(join(dataDir, rootKeyFile), kept)
    return kept
  }
}
