// Long work on the one thread is done in pieces. In each turn of the event loop at most one piece runs, whatever number
// of requests have long work to do, so that every other request waits for one piece at most.

/** Short beside what a reader notices. A single step may take longer; then nothing else runs in that turn. */
const pieceMs = 5

const waiting: (() => void)[] = []

/** Resolves in a turn of the event loop in which no other long work goes on. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(giveTurn)
  })
}

function giveTurn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(giveTurn)
}

let hasStarted = false

/**
 * For work that may be long: the first in a turn of the event loop starts at once, every other waits for a turn of its
 * own. Otherwise a burst of requests that arrive together would be answered before anything else runs.
 */
export async function ownTurn(): Promise<void> {
  if (hasStarted) return nextTurn()
  hasStarted = true
  setImmediate(() => {
    hasStarted = false
  })
}

/** Goes through a list that may be long. Between two elements, others get their turn when it is due. */
export async function eachWithPauses<Element>(
  elements: Iterable<Element>,
  work: (element: Element) => void,
): Promise<void> {
  const pace = startPace()
  for (const element of elements) {
    work(element)
    if (pace.isDue()) await pace.turn()
  }
}

/** What becomes of each element of a list that may be long. */
export async function mapWithPauses<Element, Result>(
  elements: Iterable<Element>,
  work: (element: Element) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  await eachWithPauses(elements, (element) => {
    results.push(work(element))
  })
  return results
}

/** The same for work that waits: `for await (const one of withPauses(all))`. For thousands of short steps it is too slow. */
export async function* withPauses<Element>(
  elements: Iterable<Element> | AsyncIterable<Element>,
): AsyncGenerator<Element> {
  const pace = startPace()
  for await (const element of elements) {
    yield element
    if (pace.isDue()) await pace.turn()
  }
}

/** Tells a loop when its piece is over: `if (pace.isDue()) await pace.turn()` between two steps. */
export interface Pace {
  isDue(): boolean
  turn(): Promise<void>
}

export function startPace(): Pace {
  let since = performance.now()
  return {
    isDue: () => performance.now() - since >= pieceMs,
    async turn() {
      await nextTurn()
      since = performance.now()
    },
  }
}

/** Runs work that can be paused after each of its steps. */
export async function runInPieces<Result>(steps: Generator<undefined, Result>): Promise<Result> {
  const pace = startPace()
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    if (pace.isDue()) await pace.turn()
  }
}

/** Long turns of others must not hold up what waits: so many start in a turn as they would in short turns of this length. */
const shortTurnMs = 1

export interface Turns {
  /**
   * `begin` returns false if there is nothing to do any more. The caller is asked for only if it has to wait: those who
   * wait take turns, so that one with hundreds waits for itself.
   */
  take(callerOf: () => string, begin: () => boolean): void
  waiting(): number
}

/** Begins what it is given: the first in a turn of the event loop at once, and of all others one in each short turn. */
export function createTurns(): Turns {
  /** The caller whose turn it is comes first. */
  const waiting = new Map<string, (() => boolean)[]>()
  let count = 0
  let isTaken = false
  let takenAt = 0
  const startTurn = () => {
    isTaken = true
    takenAt = performance.now()
    setImmediate(endTurn)
  }
  const endTurn = () => {
    isTaken = false
    if (count === 0) return
    const missed = Math.floor((performance.now() - takenAt) / shortTurnMs)
    startTurn()
    for (let left = Math.max(1, missed); left > 0; ) {
      const begin = next()
      if (begin === undefined) return
      if (!begin()) continue
      left--
      // What takes long itself must not make the next turn still longer.
      if (performance.now() - takenAt >= pieceMs) return
    }
  }
  const next = () => {
    const [first] = waiting
    if (first === undefined) return undefined
    const [caller, queue] = first
    const begin = queue.shift()
    count--
    waiting.delete(caller)
    if (queue.length > 0) waiting.set(caller, queue)
    return begin
  }
  return {
    take(callerOf, begin) {
      if (isTaken) {
        const caller = callerOf()
        const queue = waiting.get(caller) ?? []
        queue.push(begin)
        waiting.set(caller, queue)
        count++
        return
      }
      startTurn()
      begin()
    },
    waiting: () => count,
  }
}
