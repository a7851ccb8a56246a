import type { KeyObject } from "node:crypto"
import { sql } from "kysely"
import { deleteInBatches } from "../bounds/batches.ts"
import { nextTurn } from "../bounds/turns.ts"
import { locksRows } from "../db/engine.ts"
import type { Db, Reader } from "../db/schema.ts"
import { inTransaction } from "../db/transaction.ts"
import type { Vault } from "../keys/secrets.ts"
import { type ChainHead, type ChainRow, type EventRow, macOf, signatureOf } from "./encode.ts"

// Events are written without a place, so that writers do not wait for each other. This gives them one, in the order in
// which they became visible, and cuts off the oldest.

/** To sign and write this many is a short piece of work on the thread. */
const eventsPerBatch = 250

/** The chain's state cannot be trusted: it was changed by something else than Envkeep. Nothing is added to it. */
export class BrokenChainError extends Error {
  override name = "BrokenChainError"
}

/** What waits longer, as after an outage, is chained in the next second: a server that stops waits for this. */
const batchesPerRun = 20

/** Gives events that have none their place in the chain, and returns how many there were. */
export async function chainEvents(db: Db, vault: Vault): Promise<number> {
  let chained = 0
  for (let batch = 0; batch < batchesPerRun; batch++) {
    const some = await inTransaction(db, (tx) => chainBatch(tx, vault))
    chained += some
    if (some < eventsPerBatch) break
    await nextTurn()
  }
  return chained
}

/** False if there is nothing to do, which is found out without a transaction. */
export async function hasUnchained(db: Reader): Promise<boolean> {
  return (await unchained(db, 1)).length > 0
}

async function chainBatch(tx: Db, vault: Vault): Promise<number> {
  const chain = await lockChain(tx)
  const key = await openChain(tx, vault, chain)
  const events = await unchained(tx, eventsPerBatch)
  let { position, mac } = chain
  const placed: { id: number; position: number; mac: string }[] = []
  for (const event of events) {
    position += 1
    mac = macOf(key, event, position, mac)
    placed.push({ id: event.id, position, mac })
  }
  if (placed.length === 0) return 0
  const rows = placed.map((one) => sql`(cast(${one.id} as bigint), cast(${one.position} as bigint), ${one.mac})`)
  await sql`
    with placed (id, position, mac) as (values ${sql.join(rows)})
    update audit_event set position = placed.position, mac = placed.mac
    from placed where audit_event.id = placed.id`.execute(tx)
  await saveChain(tx, key, { ...chain, position, mac })
  return placed.length
}

/** The oldest events that have no place yet. */
export function unchained(db: Reader, count: number): Promise<EventRow[]> {
  return db.selectFrom("audit_event").selectAll().where("position", "is", null).orderBy("id").limit(count).execute()
}

export function readChain(db: Reader): Promise<ChainRow | undefined> {
  return db.selectFrom("audit_chain").selectAll().where("id", "=", 1).executeTakeFirst()
}

/** The position of an event before the beginning of the chain, where none can be. */
export async function firstBeforeStart(db: Reader, start: number): Promise<number | undefined> {
  const event = await db
    .selectFrom("audit_event")
    .select("position")
    .where("position", "<=", start)
    .orderBy("position")
    .limit(1)
    .executeTakeFirst()
  return event?.position ?? undefined
}

/** The newest place in the chain; undefined before the first event has one. */
export async function readHead(db: Reader): Promise<ChainHead | undefined> {
  const chain = await readChain(db)
  return chain && chain.position > 0 ? { position: chain.position, mac: chain.mac } : undefined
}

async function lockChain(tx: Db): Promise<ChainRow> {
  const chain = await tx
    .selectFrom("audit_chain")
    .selectAll()
    .where("id", "=", 1)
    .$if(locksRows(tx), (query) => query.forUpdate())
    .executeTakeFirst()
  // It was begun before the first event was written (`begin.ts`).
  if (chain === undefined) throw new BrokenChainError("the row that says where the chain begins and ends is missing")
  return chain
}

async function openChain(tx: Reader, vault: Vault, chain: ChainRow): Promise<KeyObject> {
  const key = await vault.chainKey(tx, chain.sealed_key)
  if (key === undefined) throw new BrokenChainError("the chain's key does not open")
  if (chain.signature !== signatureOf(key, chain)) throw new BrokenChainError("the head of the chain was changed")
  return key
}

async function saveChain(tx: Db, key: KeyObject, chain: ChainRow): Promise<void> {
  const { position, mac, start_position, start_mac } = chain
  const ends = { position, mac, start_position, start_mac }
  await tx
    .updateTable("audit_chain")
    .set({ ...ends, signature: signatureOf(key, ends) })
    .where("id", "=", 1)
    .execute()
}

/**
 * Deletes events that are older than `before`, oldest first and in batches, and returns how many. The chain then begins
 * after them, which its signature proves. A batch that does not verify is kept, because it is evidence.
 *
 * An event that is dated in the future was written while a clock was wrong, and would keep all that come after it. It
 * goes too if an old event comes after it in the chain.
 */
export function cutEvents(db: Db, vault: Vault, before: number, signal?: AbortSignal): Promise<number> {
  return deleteInBatches(eventsPerBatch, () => inTransaction(db, (tx) => cutBatch(tx, vault, before)), signal)
}

export async function cutBatch(tx: Db, vault: Vault, before: number): Promise<number> {
  const chain = await lockChain(tx)
  const key = await openChain(tx, vault, chain)
  const inserted = await firstBeforeStart(tx, chain.start_position)
  if (inserted !== undefined) {
    throw new BrokenChainError(`the event at position ${inserted} was inserted, so no events are deleted`)
  }
  const oldest = await tx
    .selectFrom("audit_event")
    .selectAll()
    .where("position", ">", chain.start_position)
    .orderBy("position")
    .limit(eventsPerBatch)
    .execute()
  const old = await oldEvents(tx, oldest, { before, now: Date.now(), head: chain.position })
  let { start_position: position, start_mac: mac } = chain
  for (const event of old) {
    position += 1
    mac = macOf(key, event, position, mac)
    if (event.position !== position || event.mac !== mac) {
      throw new BrokenChainError(`the event at position ${position} was changed, so no events are deleted`)
    }
  }
  if (old.length === 0) return 0
  await tx.deleteFrom("audit_event").where("position", "<=", position).execute()
  await saveChain(tx, key, { ...chain, start_position: position, start_mac: mac })
  return old.length
}

export async function countEventsAfter(db: Reader, time: number): Promise<number> {
  const { count } = await db
    .selectFrom("audit_event")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("created_at", ">", time)
    .executeTakeFirstOrThrow()
  return Number(count)
}

interface CutBounds {
  before: number
  now: number
  /** The newest event, which stays: it is what the head of the chain names. */
  head: number
}

/** Those at the beginning of the batch up to the last one that is old. Between them may be some that are dated ahead. */
async function oldEvents(tx: Reader, batch: EventRow[], { before, now, head }: CutBounds): Promise<EventRow[]> {
  const isKept = (event: EventRow) => event.position === head || (event.created_at >= before && event.created_at <= now)
  const firstKept = batch.findIndex(isKept)
  const candidates = firstKept === -1 ? batch : batch.slice(0, firstKept)
  const last = candidates.at(-1)
  // Whether an old one comes after the last ones of the batch shows behind the batch only.
  if (firstKept === -1 && last !== undefined && last.created_at > now) {
    if (await isFollowedByOld(tx, last, { before, now })) return candidates
  }
  return candidates.slice(0, candidates.findLastIndex((event) => event.created_at < before) + 1)
}

async function isFollowedByOld(
  db: Reader,
  { position }: EventRow,
  { before, now }: Omit<CutBounds, "head">,
): Promise<boolean> {
  const next = await db
    .selectFrom("audit_event")
    .select("created_at")
    .where("position", ">", position)
    .where("created_at", "<=", now)
    .orderBy("position")
    .limit(1)
    .executeTakeFirst()
  return next !== undefined && next.created_at < before
}
