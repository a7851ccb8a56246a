import type { KeyObject } from "node:crypto"
import { nextTurn } from "../bounds/turns.ts"
import type { Db } from "../db/schema.ts"
import { chainContext, unwrapKey } from "../keys/secrets.ts"
import { readChain } from "./chain.ts"
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

/**
 * Checks every chained event, in batches. Takes a snapshot, so that a running server does not change it on the way. `heads`
 * were written down earlier: in a backup, or from the screen.
 */
export async function verifyAudit(
  snapshot: Db,
  rootKeys: readonly KeyObject[],
  heads: readonly ChainHead[] = [],
): Promise<AuditVerdict> {
  const chain = await readChain(snapshot)
  if (chain === undefined) return withoutChain(snapshot, heads)
  const key = unwrapKey(rootKeys, chainContext, chain.sealed_key)
  if (key === undefined) return broken(chain.start_position + 1, "the chain's key was damaged or replaced")
  const { start_position: start } = chain
  let position = start
  let mac = chain.start_mac
  const expected = new Map(heads.map((head) => [head.position, head.mac]))
  for (let batch = await batchAfter(snapshot, position); batch.length > 0; ) {
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
    batch = await batchAfter(snapshot, position)
  }
  return (
    faultOfEnds(key, chain, { position, mac }) ??
    faultOfHeads(heads, { position, start, startMac: chain.start_mac }) ?? {
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

function batchAfter(snapshot: Db, position: number): Promise<EventRow[]> {
  return snapshot
    .selectFrom("audit_event")
    .selectAll()
    .where("position", ">", position)
    .orderBy("position")
    .limit(eventsPerBatch)
    .execute()
}

/** Why the event at this position does not verify: the right one may be at another position. */
async function whatHappened(
  snapshot: Db,
  key: KeyObject,
  { position, previousMac }: { position: number; previousMac: string },
): Promise<string> {
  for (let batch = await batchAfter(snapshot, position); batch.length > 0; ) {
    const right = batch.find((event) => event.mac === macOf(key, event, position, previousMac))
    if (right !== undefined) return `it was moved to position ${right.position}: events were reordered`
    await nextTurn()
    batch = await batchAfter(snapshot, batch.at(-1)?.position ?? Number.MAX_SAFE_INTEGER)
  }
  return "it was edited or replaced"
}

/** The row that says where the chain ends must be signed, and be right. */
function faultOfEnds(key: KeyObject, chain: ChainRow, end: ChainHead): AuditVerdict | undefined {
  if (chain.signature !== signatureOf(key, chain)) {
    return broken(end.position + 1, "the row that says where the chain begins and ends was edited")
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

/** Before the first event is chained there is no chain. Afterwards there must be one. */
async function withoutChain(snapshot: Db, heads: readonly ChainHead[]): Promise<AuditVerdict> {
  const [first] = await batchAfter(snapshot, 0)
  if (first?.position != null) return broken(first.position, "the row that says where the chain ends is missing")
  const [head] = heads
  if (head !== undefined) return broken(1, `all events are missing: position ${head.position} was written down`)
  return {
    isIntact: true,
    events: 0,
    head: undefined,
    unchained: await countUnchained(snapshot),
    start: 0,
    tooOld: [],
  }
}

async function countUnchained(snapshot: Db): Promise<number> {
  const { count } = await snapshot
    .selectFrom("audit_event")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("position", "is", null)
    .executeTakeFirstOrThrow()
  return Number(count)
}
