import { isDeepStrictEqual } from "node:util"
import { sql } from "kysely"
import type { Action } from "../access/actions.ts"
import type { Caller, UserCaller } from "../access/caller.ts"
import { type ChangeEvent, type Recorder, recordEvent, type Subject } from "../audit/record.ts"
import { oneAtATime } from "../bounds/one-at-a-time.ts"
import type { Bookkeeping, StoreCounts } from "../db/bookkeeping.ts"
import { engineOf } from "../db/engine.ts"
import { type Invalidation, invalidationChannel, notificationPayloads } from "../db/invalidation.ts"
import type { OpenDatabase } from "../db/open.ts"
import type { Db, Reader, Tx } from "../db/schema.ts"
import { inSnapshot, inTransaction } from "../db/transaction.ts"
import type { Vault } from "../keys/secrets.ts"
import type { MailQueue } from "../mail/mail-queue.ts"
import {
  addStoredBytes,
  type Growth,
  type Payer,
  type Quota,
  recountAccounts,
  refuseGrowth,
  totalGrowth,
} from "./stored-bytes.ts"

/** What every feature works with: it reads with `db`, opens secrets with `vault`, and writes with `change`. */
export interface Core extends Door {
  vault: Vault
  /** Absent if the server sends no mail. */
  mail?: MailQueue | undefined
}

/** How the store is read and changed. */
export interface Door extends Bookkeeping {
  /** Several reads of the same state. */
  snapshot<Result>(work: (snapshot: Reader) => Promise<Result>): Promise<Result>
  /**
   * The only way to change something: who does what. Opens the transaction, runs the work, records the event in the
   * same transaction, and calls the listeners after the commit. If recording fails, nothing is changed.
   */
  change<Result>(caller: Caller, action: Action, work: Work<Result>): Promise<Result>
  /** Called after each commit that invalidates something, in this order, before the caller gets its answer. */
  listeners: CommitListener[]
  /** Called after each commit that has queued deliveries to webhooks. */
  deliveryListeners: (() => void)[]
  /** How much an account may store; without it, any amount. */
  quotaBytes: number | undefined
}

export type { ChangeEvent, Growth, Recorder, Subject }

type Work<Result> = (tx: Tx, notes: Notes) => Promise<Result>

/** What the work reports about itself while it runs. A retry starts with empty notes. */
export interface Notes {
  /** What was changed, for the event. Names and ids only, never a value. */
  about(subject: Subject): void
  /** An event beside the one of the change: what else it did, to what. */
  also(action: Action, subject: Subject): void
  /** What an account now stores more, or less. Beyond the quota, the change is refused when the work is done. */
  grow(payer: Payer, growth: Growth): void
  /**
   * For long work, before its first row is written: what an account is about to store beside what is noted already. Beyond
   * the quota, the change is refused now: otherwise the work could be repeated at no cost, and on SQLite everyone waits for
   * it. Nothing is counted by this.
   */
  willGrow(payer: Payer, growths: readonly Growth[]): Promise<void>
  /** For accounts that get what another one had, whether their quota has room for it or not. */
  recount(userIds: readonly number[]): void
  /** What must no longer be served from memory. */
  invalidate(invalidation: Invalidation): void
  /** Everything was already as requested: no event is recorded. */
  nothingChanged(): void
}

export type CommitListener = (invalidations: Invalidation[]) => void

interface DoorParts {
  /** Writes the event of a change, inside its transaction: into the audit trail, unless said otherwise. */
  record?: Recorder | undefined
  quotaBytes?: number | undefined
}

export function createDoor(
  { db, readDb }: Pick<OpenDatabase, "db" | "readDb">,
  { record = recordEvent, quotaBytes }: DoorParts = {},
): Door {
  const listeners: CommitListener[] = []
  const deliveryListeners: (() => void)[] = []
  const counts: StoreCounts = {
    endedChanges: 0,
    transactionRetries: 0,
    refusedAttempts: new Map(),
    skippedRows: new Map(),
    failedJobs: new Map(),
  }
  const countRetry = () => void counts.transactionRetries++
  return {
    db: readDb,
    listeners,
    deliveryListeners,
    counts,
    quotaBytes,
    snapshot: (work) => inSnapshot(readDb, work),
    bookkeep: (work) => work(asTx(db)),
    bookkeepTogether: (work) => inTransaction(db, (tx) => work(asTx(tx)), countRetry),
    async change(caller, action, work) {
      const quota = quotaFor(caller, quotaBytes)
      let invalidations: Invalidation[] = []
      let queued = 0

      /** Runs again after a deadlock, so that nothing of an earlier try is left. */
      const attempt = async (transaction: Db) => {
        const tx = asTx(transaction)
        const noted = startNotes({ caller, action, subject: {} }, (payer, growth) =>
          refuseGrowth(tx, payer, growth, quota),
        )
        const result = await work(tx, noted.notes)

        queued = 0
        for (const event of noted.events()) queued += await record(tx, event)

        for (const [payer, growth] of noted.growths) await addStoredBytes(tx, payer, growth, quota)
        await recountAccounts(tx, noted.recounted)

        // Inside the transaction: other nodes are notified when they can see the change, and not if it fails.
        invalidations = noted.invalidations
        if (invalidations.length > 0) await notifyOtherNodes(transaction, invalidations)
        return result
      }

      const result = await inTransaction(db, attempt, countRetry).finally(() => void counts.endedChanges++)

      if (invalidations.length > 0) for (const listener of listeners) listener(invalidations)
      if (queued > 0) for (const listener of deliveryListeners) listener()
      return result
    },
  }
}

/** What the server itself does is not refused: an account's collections move to their next owners. */
function quotaFor(caller: Caller, quotaBytes: number | undefined): Quota {
  return {
    quotaBytes: caller.kind === "server" ? undefined : quotaBytes,
    isOwn: (payerId) => caller.kind !== "user" || caller.userId === payerId,
  }
}

function startNotes(
  initial: ChangeEvent,
  refuse: (payer: Payer, growth: Growth) => Promise<void>,
): {
  notes: Notes
  events(): ChangeEvent[]
  growths: [payer: Payer, growth: Growth][]
  recounted: number[]
  invalidations: Invalidation[]
} {
  let event: ChangeEvent | undefined = initial
  const others: ChangeEvent[] = []
  const growths: [payer: Payer, growth: Growth][] = []
  const recounted: number[] = []
  const invalidations: Invalidation[] = []
  const notes: Notes = {
    about(subject) {
      event = { ...initial, subject }
    },
    also: (action, subject) => void others.push({ caller: initial.caller, action, subject }),
    grow: (payer, growth) => void growths.push([payer, growth]),
    willGrow(payer, more) {
      const noted = growths.flatMap(([other, one]) => (isDeepStrictEqual(other, payer) ? [one] : []))
      return refuse(payer, totalGrowth([...noted, ...more]))
    },
    recount: (userIds) => void recounted.push(...userIds),
    invalidate: (invalidation) => void invalidations.push(invalidation),
    nothingChanged() {
      event = undefined
    },
  }
  return { notes, events: () => (event === undefined ? others : [event, ...others]), growths, recounted, invalidations }
}

/** On SQLite, other processes notice that the file's version has changed. */
async function notifyOtherNodes(tx: Db, invalidations: Invalidation[]): Promise<void> {
  if (engineOf(tx) !== "postgres") return
  for (const payload of notificationPayloads(invalidations)) {
    await sql`select pg_notify(${invalidationChannel}, ${payload})`.execute(tx)
  }
}

function asTx(db: Db): Tx {
  return db as Db & Tx
}

interface LockedChange<Locked> {
  action: Action
  /** What is changed, such as "environment 7". */
  subject: string
  /** Locks it until the commit, and reads it again. Throws what the caller is told if it is out of reach. */
  lock(tx: Tx): Promise<Locked>
}

/** Changes one thing under a lock that lasts until the commit: of two changes at the same time, the second sees the first. */
export function changeLocked<Locked, Result>(
  core: Core,
  caller: UserCaller,
  { action, subject, lock }: LockedChange<Locked>,
  work: (tx: Tx, notes: Notes, locked: Locked) => Promise<Result>,
): Promise<Result> {
  return oneChangePerUser(caller, subject, () =>
    core.change(caller, action, async (tx, notes) => work(tx, notes, await lock(tx))),
  )
}

const oneAfterTheOther = oneAtATime<string>()

/**
 * A user's changes of one thing wait for each other here, before they take a connection. If they waited for the database's
 * lock, a few of them would hold every connection. Other users are not kept waiting: to them, the thing does not exist, but
 * they can name its id.
 */
export function oneChangePerUser<Result>(
  { userId }: UserCaller,
  subject: string,
  change: () => Promise<Result>,
): Promise<Result> {
  return oneAfterTheOther(`${userId} ${subject}`, change)
}
