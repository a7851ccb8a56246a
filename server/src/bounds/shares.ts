import { sentences } from "@envkeep/contract"
import { BoundError } from "./bound-error.ts"
import { nextTurn } from "./turns.ts"

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

/** Something of which there is only so much (connections, bytes, hashing threads), shared fairly between callers. */
export class Shares {
  readonly #bounds: ShareBounds
  /** Only callers that hold or want something. The one whose turn it is comes first. */
  readonly #holders = new Map<string, Holder>()
  #taken = 0
  #waiting = 0
  #isStarting = false

  constructor(bounds: ShareBounds) {
    this.#bounds = bounds
  }

  /**
   * Waits until there is room, and returns the function that gives it back. Waiting callers take turns, so one that asks
   * a hundred times waits for itself. More than a whole share counts as a whole share.
   */
  take(caller: string, wanted = 1): Promise<() => void> {
    const { total, perCaller, waitingPerCaller } = this.#bounds
    if ((this.#holders.get(caller)?.queue.length ?? 0) >= waitingPerCaller || this.#waiting >= waitingInAll) {
      throw new BoundError("waiting", "too_many", sentences.tooManyAtOnce, 1)
    }
    return this.#wait(caller, Math.min(wanted, perCaller, total), (queue, wish) => queue.push(wish))
  }

  /** The same for a caller that had one and has left it for a while: it is the next of the caller's own. */
  takeNext(caller: string): Promise<() => void> {
    return this.#wait(caller, 1, (queue, wish) => queue.unshift(wish))
  }

  /** Takes, works, and gives back. */
  async use<Result>(caller: string, work: () => Promise<Result>, amount?: number): Promise<Result> {
    const giveBack = await this.take(caller, amount)
    try {
      return await work()
    } finally {
      giveBack()
    }
  }

  state(): { taken: number; waiting: number } {
    return { taken: this.#taken, waiting: this.#waiting }
  }

  #wait(caller: string, amount: number, enqueue: (queue: Wish[], wish: Wish) => void): Promise<() => void> {
    const holder = this.#holders.get(caller) ?? { taken: 0, queue: [] }
    this.#holders.set(caller, holder)
    return new Promise((resolve) => {
      this.#waiting++
      const start = () => {
        this.#waiting--
        resolve(this.#give(caller, holder, amount))
      }
      enqueue(holder.queue, { amount, start })
      this.#startNext()
    })
  }

  #give(caller: string, holder: Holder, amount: number): () => void {
    let isGivenBack = false
    return () => {
      if (isGivenBack) return
      isGivenBack = true
      this.#taken -= amount
      holder.taken -= amount
      // To the end, if it has more to do: the others come first now.
      this.#holders.delete(caller)
      if (holder.taken > 0 || holder.queue.length > 0) this.#holders.set(caller, holder)
      void this.#startWaiting()
    }
  }

  /** Each in a turn of its own: a long queue of short work must not become one long piece of work. */
  async #startWaiting(): Promise<void> {
    if (this.#isStarting || this.#waiting === 0) return
    this.#isStarting = true
    do await nextTurn()
    while (this.#startNext())
    this.#isStarting = false
  }

  #startNext(): boolean {
    const { total, perCaller } = this.#bounds
    for (const [caller, holder] of this.#holders) {
      const [first] = holder.queue
      if (first === undefined || holder.taken + first.amount > perCaller) continue
      // No other caller passes it by, or one that wants much would never get it.
      if (this.#taken + first.amount > total) return false

      holder.queue.shift()
      holder.taken += first.amount
      this.#taken += first.amount
      this.#holders.delete(caller)
      this.#holders.set(caller, holder)
      first.start()
      return true
    }
    return false
  }
}
