import type { KeyObject } from "node:crypto"
import { link, rename } from "node:fs/promises"
import { join } from "node:path"
import { theServer } from "../access/caller.ts"
import { recordEvent } from "../audit/record.ts"
import { syncToDisk, timeStamp } from "../db/data-folder.ts"
import { givePathToOwnerOf } from "../db/file-owner.ts"
import type { Db } from "../db/schema.ts"
import { inTransaction } from "../db/transaction.ts"
import { keptKeyPrefix, nextKeyFile, readRootKey, rootKeyFile } from "../keys/root-key.ts"
import { readCanary } from "../keys/root-key-evidence.ts"
import { canaryOpens, chainContext, newCanary, rewrapKey, unwrapDataKey } from "../keys/secrets.ts"

// The steps of replacing the root key. After each step, a server with either key can read every row. Each step can be
// repeated, so an interrupted rotation continues when it is run again.

export interface BothKeys {
  previous: KeyObject
  next: KeyObject
}

/** Small enough that other writers do not wait long for a batch. */
const batchSize = 100

/** From this commit on, new collections are wrapped under the next key: creating one locks the canary (`keys/vault.ts`). */
export function switchCanary(db: Db, { next }: BothKeys): Promise<void> {
  return inTransaction(db, async (tx) => {
    const canary = await readCanary(tx, "for update")
    if (canary === undefined) throw new Error("the store has no canary")
    if (canaryOpens(next, canary)) return
    await tx
      .updateTable("canary")
      .set({ sealed: newCanary(next) })
      .where("id", "=", 1)
      .execute()
    await recordEvent(tx, { caller: theServer, action: "root-key.rotate", subject: {} })
  })
}

export interface Rewrapped {
  /** How many collections' keys are now wrapped under the next root key. */
  count: number
  /** Collections that neither root key opens, because they were damaged before. */
  damaged: { id: number; name: string }[]
}

/** Wraps every collection's key under the next root key, in batches. Collections made after the switch already are. */
export async function rewrapAll(db: Db, keys: BothKeys): Promise<Rewrapped> {
  const outcome: Rewrapped = { count: 0, damaged: [] }
  const newest = await db.selectFrom("collection").select("id").orderBy("id", "desc").limit(1).executeTakeFirst()
  for (let last = 0; last < (newest?.id ?? 0); ) {
    const rows = await inTransaction(db, (tx) => rewrapBatch(tx, keys, last))
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

async function rewrapBatch(tx: Db, { previous, next }: BothKeys, after: number) {
  const rows = await tx
    .selectFrom("collection")
    .select(["id", "name", "data_key as wrapped"])
    .where("id", ">", after)
    .orderBy("id")
    .limit(batchSize)
    .execute()
  const outcomes: { id: number; name: string; isOpen: boolean }[] = []
  for (const { id, name, wrapped } of rows) {
    const rewrapped = rewrapKey({ from: previous, to: next }, ["collection", id], wrapped)
    if (rewrapped !== undefined) await replaceDataKey(tx, { id, wrapped, rewrapped })
    outcomes.push({ id, name, isOpen: rewrapped !== undefined || unwrapDataKey([next], id, wrapped) !== undefined })
  }
  return outcomes
}

/** Replaces only the key that was read: another rotation may have changed it since. */
async function replaceDataKey(
  tx: Db,
  { id, wrapped, rewrapped }: { id: number; wrapped: Uint8Array; rewrapped: Uint8Array },
): Promise<void> {
  await tx
    .updateTable("collection")
    .set({ data_key: rewrapped })
    .where("id", "=", id)
    .where("data_key", "=", wrapped)
    .execute()
}

/** Wraps the key of the audit trail's chain under the next root key. The chain itself stays as it is. */
export function rewrapChainKey(db: Db, { previous, next }: BothKeys): Promise<void> {
  return inTransaction(db, async (tx) => {
    const chain = await tx.selectFrom("audit_chain").select("sealed_key").where("id", "=", 1).executeTakeFirst()
    const rewrapped = chain && rewrapKey({ from: previous, to: next }, chainContext, chain.sealed_key)
    if (chain === undefined || rewrapped === undefined) return
    await tx
      .updateTable("audit_chain")
      .set({ sealed_key: rewrapped })
      .where("id", "=", 1)
      .where("sealed_key", "=", chain.sealed_key)
      .execute()
  })
}

/** Seals the secrets of all authenticator apps under the next root key. Those made after the switch already are. */
export function rewrapTotpSecrets(db: Db, { previous, next }: BothKeys): Promise<void> {
  return inBatches(db, async (tx, after) => {
    const rows = await tx
      .selectFrom("totp")
      .select(["id", "user_id as userId", "sealed_secret as wrapped"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(batchSize)
      .execute()
    for (const { id, userId, wrapped } of rows) {
      const rewrapped = rewrapKey({ from: previous, to: next }, ["totp", userId], wrapped)
      if (rewrapped === undefined) continue
      await tx
        .updateTable("totp")
        .set({ sealed_secret: rewrapped })
        .where("id", "=", id)
        .where("sealed_secret", "=", wrapped)
        .execute()
    }
    return rows
  })
}

/** Seals what waits in the queue of mails under the next root key. Mails queued after the switch already are. */
export function resealMail(db: Db, { previous, next }: BothKeys): Promise<void> {
  return inBatches(db, async (tx, after) => {
    const rows = await tx
      .selectFrom("mail")
      .select(["id", "message_id", "sealed"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(batchSize)
      .execute()
    for (const { id, message_id, sealed } of rows) {
      const resealed = sealed && rewrapKey({ from: previous, to: next }, ["mail", message_id], sealed)
      if (!resealed) continue
      await tx.updateTable("mail").set({ sealed: resealed }).where("id", "=", id).where("sealed", "=", sealed).execute()
    }
    return rows
  })
}

/** Each batch is a transaction, and begins after the last row of the one before. */
async function inBatches(db: Db, batch: (tx: Db, after: number) => Promise<{ id: number }[]>): Promise<void> {
  for (let last: number | undefined = 0; last !== undefined; ) {
    const after: number = last
    last = (await inTransaction(db, (tx) => batch(tx, after))).at(-1)?.id
  }
}

/** Replaces the root key's file with the next one in one step. The old key is kept; returns its path. */
export async function replaceKeyFile(dataDir: string, { previous }: BothKeys, startedAt: number): Promise<string> {
  const kept = await keepKeyFile(dataDir, previous, startedAt)
  const [next, present] = [join(dataDir, nextKeyFile), join(dataDir, rootKeyFile)]
  // An interrupted command may have left it as root's.
  await givePathToOwnerOf([present, dataDir], next)
  await rename(next, present)
  await syncToDisk(dataDir)
  return kept
}

/** Named after the start of the rotation, so that repeating it keeps no second copy. Never replaces another key. */
async function keepKeyFile(dataDir: string, previous: KeyObject, startedAt: number): Promise<string> {
  const first = join(dataDir, `${keptKeyPrefix}${timeStamp(new Date(startedAt))}`)
  for (let copy = 1; ; copy++) {
    const kept = copy === 1 ? first : `${first}-${copy}`
    const existing = await readRootKey(kept)
    if (existing?.equals(previous)) return kept
    if (existing !== undefined) continue
    await link(join(dataDir, rootKeyFile), kept)
    return kept
  }
}
