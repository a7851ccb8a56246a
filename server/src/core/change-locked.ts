import type { Action } from "../access/actions.ts"
import type { UserCaller } from "../access/caller.ts"
import { oneAtATime } from "../bounds/one-at-a-time.ts"
import type { Tx } from "../db/schema.ts"
import type { Core, Notes } from "./core.ts"

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
