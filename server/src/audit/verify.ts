import type { KeyObject } from "node:crypto"
import { nextTurn } from "../bounds/turns.ts"
import { locksRows } from "../db/engine.ts"
import { isUnreadableNumber } from "../db/faults.ts"
import { newestGivenId } from "../db/given-ids.ts"
import { appliedMigrations } from "../db/migrator.ts"
import type { Db } from "../db/schema.ts"
import { tableNames } from "../db/stored-tables.ts"
import { chainContext, unwrapKey } from "../keys/secrets.ts"
import { hadEvents, hasEvents } from "./begin.ts"
import { firstBeforeStart, readChain, unchained } from "./chain.ts"
import { type ChainHead, type ChainRow, type EventRow, macOf, signatureOf } from "./encode.ts"

export type AuditVerdict =
  | {
      isIntact: true
      /** How many chained events there are. */
      events: number
      head: ChainHead | undefined
      /** Events that a running server chains within a second. */
      unchained: number
      /** The newest event that was deleted because it was too old; 0 if none was. */
      start: number
      /** Heads that are older than the oldest event, so they could not be compared. */
      tooOld: ChainHead[]
    }
  | { isIntact: false; position: number; reason: string }

const eventsPerBatch = 500

const unreadable = Symbol("unreadable")

const editedOrReplaced = "it was edited or replaced"

/** PostgreSQL counts an id that was given to a change which then failed. So few prove no missing event. */
const idsOfFailedChanges = 20

const rowOfEnds = "the row that says where the chain begins and ends"

/** Whether the store is of a version with an audit trail. */
export async function hasAudit(db: Db): Promise<boolean> {
  return (await appliedMigrations(db)).includes("009-audit")
}

/**
 * Checks every chained event, in batches. Takes a snapshot, so that a running server does not change it on the way. `heads`
 * were written down earlier: in a backup, or from the screen.
 */
export async function verifyAudit(
  snapshot: Db,
  rootKeys: readonly KeyObject[],
  heads: readonly ChainHead[] = [],
): Promise<AuditVerdict> {
  const stored = await tableNames(snapshot)
  const missing = (["audit_chain", "audit_event"] as const).find((table) => !stored.has(table))
  if (missing !== undefined) return broken(1, `the table ${missing} is missing`)
  try {
    return await verifyRows(snapshot, rootKeys, heads)
  } catch (error) {
    if (!isUnreadableNumber(error)) throw error
    return broken(1, "there is a number that Envkeep cannot have written")
  }
}

async function verifyRows(
  snapshot: Db,
  rootKeys: readonly KeyObject[],
  heads: readonly ChainHead[],
): Promise<AuditVerdict> {
  const chain = await readChain(snapshot)
  if (chain === undefined) return withoutChain(snapshot, heads)
  const key = unwrapKey(rootKeys, chainContext, chain.sealed_key)
  if (key === undefined) return broken(chain.start_position + 1, "the chain's key was damaged or replaced")
  const { start_position: start } = chain
  let position = start
  let mac = chain.start_mac
  const expected = new Map(heads.map((head) => [head.position, head.mac]))
  for (;;) {
    const batch = await batchAfter(snapshot, position)
    if (batch === unreadable) return broken(position + 1, editedOrReplaced)
    if (batch.length === 0) break
    for (const event of batch) {
      const at = position + 1
      if (event.position !== at) return broken(at, `it is missing; the next one is at position ${event.position}`)
      if (event.mac !== macOf(key, event, at, mac)) {
        return broken(at, await whatHappened(snapshot, key, { position: at, previousMac: mac }))
      }
      position = at
      mac = event.mac
      if (expected.has(at) && expected.get(at) !== mac)
        return broken(at, "it is not the one whose head was written down")
    }
    await nextTurn()
  }
  return (
    faultOfEnds(key, chain, { position, mac }) ??
    faultOfHeads(heads, { position, start, startMac: chain.start_mac }) ??
    (await faultOutside(snapshot, chain)) ?? {
      isIntact: true,
      events: position - start,
      head: position === 0 ? undefined : { position, mac },
      unchained: await countUnchained(snapshot),
      start,
      tooOld: heads.filter((head) => head.position < start),
    }
  )
}

function broken(position: number, reason: string): AuditVerdict {
  return { isIntact: false, position, reason }
}

/** Where an event cannot be read, those before it come one by one. */
async function batchAfter(
  snapshot: Db,
  position: number,
  count = eventsPerBatch,
): Promise<EventRow[] | typeof unreadable> {
  const query = snapshot.selectFrom("audit_event").selectAll().where("position", ">", position).orderBy("position")
  try {
    return await query.limit(count).execute()
  } catch (error) {
    if (!isUnreadableNumber(error)) throw error
    return count === 1 ? unreadable : batchAfter(snapshot, position, 1)
  }
}

/** Why the event at this position does not verify: the right one may be at another position. */
async function whatHappened(
  snapshot: Db,
  key: KeyObject,
  { position, previousMac }: { position: number; previousMac: string },
): Promise<string> {
  for (let last = position; ; ) {
    const batch = await batchAfter(snapshot, last)
    const newest = batch === unreadable ? undefined : batch.at(-1)?.position
    if (batch === unreadable || newest == null) return editedOrReplaced
    const right = batch.find((event) => event.mac === macOf(key, event, position, previousMac))
    if (right !== undefined) return `it was moved to position ${right.position}: events were reordered`
    await nextTurn()
    last = newest
  }
}

/** Rows beside the chain, which the walk along it does not meet. */
async function faultOutside(snapshot: Db, chain: ChainRow): Promise<AuditVerdict | undefined> {
  const { start_position: start } = chain
  const second = await snapshot.selectFrom("audit_chain").select("mac").where("id", "<>", 1).limit(1).execute()
  if (second.length > 0) return broken(start + 1, "there is a second row that says where the chain begins and ends")
  const before = await firstBeforeStart(snapshot, start)
  if (before !== undefined) return broken(before, "it was inserted: the chain begins after it")
  const isAtStart = chain.position === 0 && !(await hasEvents(snapshot))
  const given = isAtStart ? await newestGivenId(snapshot, "audit_event") : 0
  if (given > (locksRows(snapshot) ? idsOfFailedChanges : 0)) return broken(1, "all events are missing")
  // Fails if one of them cannot be read: no server could chain it, nor those after it.
  await unchained(snapshot, eventsPerBatch)
  return undefined
}

/** The row that says where the chain ends must be signed, and be right. */
function faultOfEnds(key: KeyObject, chain: ChainRow, end: ChainHead): AuditVerdict | undefined {
  if (chain.signature !== signatureOf(key, chain)) {
    return broken(end.position + 1, `${rowOfEnds} was edited`)
  }
  if (end.position < chain.position) {
    return broken(end.position + 1, `the newest events are missing: there were ${chain.position}`)
  }
  if (end.position > chain.position || end.mac !== chain.mac) {
    return broken(chain.position + 1, "the chain ended before it: the row of its end was replaced by an older one")
  }
  return undefined
}

function faultOfHeads(
  heads: readonly ChainHead[],
  { position, start, startMac }: { position: number; start: number; startMac: string },
): AuditVerdict | undefined {
  const missing = heads.find((head) => head.position > position)
  if (missing !== undefined) {
    return broken(position + 1, `the newest events are missing: position ${missing.position} was written down`)
  }
  const other = heads.find((head) => head.position === start && head.mac !== startMac)
  return other && broken(start, "it is not the one whose head was written down")
}

/** A chain is begun before the first event is written. */
async function withoutChain(snapshot: Db, heads: readonly ChainHead[]): Promise<AuditVerdict> {
  if (await hadEvents(snapshot)) return broken(1, `${rowOfEnds} is missing`)
  const [head] = heads
  if (head !== undefined) return broken(1, `all events are missing: position ${head.position} was written down`)
  return { isIntact: true, events: 0, head: undefined, unchained: 0, start: 0, tooOld: [] }
}

async function countUnchained(snapshot: Db): Promise<number> {
  const { count } = await snapshot
    .selectFrom("audit_event")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("position", "is", null)
    .executeTakeFirstOrThrow()
  return Number(count)
}
