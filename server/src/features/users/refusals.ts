import type { Action } from "../../access/actions.ts"
import type { Visitor } from "../../access/caller.ts"
import { networkOf } from "../../access/network.ts"
import type { Door } from "../../core/core.ts"
import { hourMs } from "../../durations.ts"

/** Each makes at most two events an hour. What goes beyond this is counted together, so no attacker can fill the store. */
const maxSums = 1_000

/**
 * Writes down refused logins. The first of an account from a network in an hour is an event at once. The others are
 * counted, and become one event when the hour is over. E-mails that belong to no account are counted together. A second
 * step that failed is counted in the same way, by itself.
 */
export interface Refusals {
  /** Returns at once: how long an answer takes must not show whether there is such an account. */
  note(caller: Visitor, account?: RefusedAccount, action?: RefusedAction): void
  /** Writes the counts of past hours. */
  flush(): Promise<void>
  /** Writes all counts, and waits for what is being written. */
  close(): Promise<void>
}

type RefusedAction = Extract<Action, `session.refuse${string}`>

interface RefusedAccount {
  id: number
  username: string
}

interface Sum {
  action: RefusedAction
  caller: Visitor
  account: RefusedAccount | undefined
  hour: number
  more: number
}

type Refused = Pick<Sum, "action" | "caller" | "account">

export function createRefusals(door: Door, failed: (error: unknown) => void): Refusals {
  const sums = new Map<string, Sum>()
  const writing = new Set<Promise<void>>()

  function write({ action, caller, account }: Refused, refused: number): Promise<void> {
    return door.change(caller, action, async (_, notes) => {
      // With its name, which need not be looked up: that would show in how long it takes.
      const about = account === undefined ? {} : { userId: account.id, username: account.username }
      notes.about({ ...about, counts: { refused } })
    })
  }

  /** What cannot be written, and what is counted in the meantime, stays for the next time. */
  async function writeSums(isDue: (sum: Sum) => boolean): Promise<void> {
    for (const [id, sum] of sums) {
      if (!isDue(sum)) continue
      const { more } = sum
      if (more > 0) await write(sum, more)
      sum.more -= more
      if (sum.more === 0) sums.delete(id)
    }
  }

  return {
    note(caller, account, action = "session.refuse") {
      const hour = Math.floor(Date.now() / hourMs)
      const own = `${hour} ${action} ${networkOf(caller.address)} ${account?.id ?? ""}`
      const isFull = sums.size >= maxSums && !sums.has(own)
      const id = isFull ? `${hour} others` : own
      const sum = sums.get(id)
      if (sum !== undefined) {
        sum.more++
        return
      }
      const others: Visitor = { kind: "guest", address: "", device: "", client: "" }
      const refused: Refused = isFull
        ? { action: "session.refuse", caller: others, account: undefined }
        : { action, caller, account }
      const started = { ...refused, hour, more: 0 }
      sums.set(id, started)
      const written = write(started, 1)
        .catch((error: unknown) => {
          started.more++
          failed(error)
        })
        .finally(() => writing.delete(written))
      writing.add(written)
    },
    flush: () => writeSums(({ hour }) => hour < Math.floor(Date.now() / hourMs)),
    async close() {
      await Promise.all(writing)
      await writeSums(() => true)
    },
  }
}
