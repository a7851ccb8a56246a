import { sentences } from "@envkeep/contract"
import { BoundError } from "./bound-error.ts"
import { nextTurn } from "./turns.ts"

/** Something of which there is only so much (connections, bytes, hashing threads), shared fairly between callers. */
export interface Shares {
  /**
   * Waits until there is room, and returns the function that gives it back. Waiting callers take turns, so one that asks
   * a hundred times waits for itself. More than a whole share counts as a whole share.
   */
  take(caller: string, amount?: number): Promise<() => void>
  /** The same for a caller that had one and has left it for a while: it is the next of the caller's own. */
  takeNext(caller: string): Promise<() => void>
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

interface Wish {
  amount: number
  start: () => void
}

interface Holder {
  taken: number
  queue: Wish[]
}

/** Of all callers together: each request that waits takes some memory. */
const waitingInAll = 5_000

export function createShares({ total, perCaller, waitingPerCaller }: ShareBounds): Shares {
  /** Only callers that hold or want something. The one whose turn it is comes first. */
  const holders = new Map<string, Holder>()
  let taken = 0
  let waiting = 0
  let isStarting = false

  const shares: Shares = {
    take(caller, wanted = 1) {
      const amount = Math.min(wanted, perCaller, total)
      if ((holders.get(caller)?.queue.length ?? 0) >= waitingPerCaller || waiting >= waitingInAll) {
        throw new BoundError("waiting", "too_many", sentences.tooManyAtOnce, 1)
      }
      return wait(caller, amount, (queue, wish) => queue.push(wish))
    },
    takeNext: (caller) => wait(caller, 1, (queue, wish) => queue.unshift(wish)),
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

  function wait(caller: string, amount: number, enqueue: (queue: Wish[], wish: Wish) => void): Promise<() => void> {
    const holder = holders.get(caller) ?? { taken: 0, queue: [] }
    holders.set(caller, holder)
    return new Promise((resolve) => {
      waiting++
      const start = () => {
        waiting--
        resolve(give(caller, holder, amount))
      }
      enqueue(holder.queue, { amount, start })
      startNext()
    })
  }

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
      void startWaiting()
    }
  }

  /** Each in a turn of its own: a long queue of short work must not become one long piece of work. */
  async function startWaiting(): Promise<void> {
    if (isStarting || waiting === 0) return
    isStarting = true
    do await nextTurn()
    while (startNext())
    isStarting = false
  }

  function startNext(): boolean {
    for (const [caller, holder] of holders) {
      const [first] = holder.queue
      if (first === undefined || holder.taken + first.amount > perCaller) continue
      // No other caller passes it by, or one that wants much would never get it.
      if (taken + first.amount > total) return false
      holder.queue.shift()
      holder.taken += first.amount
      taken += first.amount
      holders.delete(caller)
      holders.set(caller, holder)
      first.start()
      return true
    }
    return false
  }
}
