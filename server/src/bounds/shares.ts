import { sentences } from "@envkeep/contract"
import { BoundError } from "./bound-error.ts"

/** Something of which there is only so much (connections, bytes, hashing threads), shared fairly between callers. */
export interface Shares {
  /**
   * Waits until there is room, and returns the function that gives it back. Waiting callers take turns, so one that asks
   * a hundred times waits for itself. More than a whole share counts as a whole share.
   */
  take(caller: string, amount?: number): Promise<() => void>
  /** Takes, works, and gives back. */
  use<Result>(caller: string, work: () => Promise<Result>, amount?: number): Promise<Result>
  state(): { taken: number; waiting: number }
}

interface ShareBounds {
  total: number
  perCaller: number
  /** How many requests of one caller may wait. Further ones are refused. */
  waitingPerCaller: number
}

interface Holder {
  taken: number
  queue: { amount: number; start: () => void }[]
}

export function createShares({ total, perCaller, waitingPerCaller }: ShareBounds): Shares {
  /** Only callers that hold or want something. The one whose turn it is comes first. */
  const holders = new Map<string, Holder>()
  let taken = 0
  let waiting = 0

  const shares: Shares = {
    take(caller, wanted = 1) {
      const amount = Math.min(wanted, perCaller, total)
      const holder = holders.get(caller) ?? { taken: 0, queue: [] }
      holders.set(caller, holder)
      if (holder.queue.length >= waitingPerCaller) {
        throw new BoundError("waiting", "too_many", sentences.tooManyAtOnce, 1)
      }
      return new Promise((resolve) => {
        waiting++
        const start = () => {
          waiting--
          resolve(give(caller, holder, amount))
        }
        holder.queue.push({ amount, start })
        startWaiting()
      })
    },
    async use(caller, work, amount) {
      const giveBack = await shares.take(caller, amount)
      try {
        return await work()
      } finally {
        giveBack()
      }
    },
    state: () => ({ taken, waiting }),
  }
  return shares

  function give(caller: string, holder: Holder, amount: number): () => void {
    let isGivenBack = false
    return () => {
      if (isGivenBack) return
      isGivenBack = true
      taken -= amount
      holder.taken -= amount
      // To the end, if it has more to do: the others come first now.
      holders.delete(caller)
      if (holder.taken > 0 || holder.queue.length > 0) holders.set(caller, holder)
      startWaiting()
    }
  }

  function startWaiting(): void {
    if (waiting === 0) return
    for (const [caller, holder] of [...holders]) {
      const [first] = holder.queue
      if (first === undefined || holder.taken + first.amount > perCaller) continue
      // No other caller passes it by, or one that wants much would never get it.
      if (taken + first.amount > total) return
      holder.queue.shift()
      holder.taken += first.amount
      taken += first.amount
      holders.delete(caller)
      holders.set(caller, holder)
      first.start()
    }
  }
}
