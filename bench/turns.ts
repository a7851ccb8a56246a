import { setTimeout as wait } from "node:timers/promises"
import type { Rows } from "./bench.ts"
import { milliseconds, times } from "./report.ts"

/**
 * Measures all contenders by turns. Each turn starts with the next one (A B C B C A C A B ...), so that other work on the
 * machine, and what one leaves behind for the next, affects all of them equally. Results are in the order of the turns.
 */
export async function byTurns<Name extends string, Result>(
  turns: number,
  contenders: Record<Name, () => Promise<Result>>,
): Promise<Record<Name, Result[]>> {
  const names = Object.keys(contenders) as Name[]
  const results = Object.fromEntries(names.map((name) => [name, [] as Result[]])) as Record<Name, Result[]>
  for (let turn = 0; turn < turns; turn++) {
    const first = turn % names.length
    for (const name of [...names.slice(first), ...names.slice(0, first)]) results[name].push(await contenders[name]())
  }
  return results
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return Number.isInteger(middle) ? (upper + (sorted[middle - 1] ?? Number.NaN)) / 2 : upper
}

/** The median of the ratios within each turn. Both were measured seconds apart, so interference cancels out. */
export function medianRatio(ours: number[], theirs: number[]): number {
  return median(ours.map((value, turn) => value / (theirs[turn] ?? Number.NaN)))
}

export type Once = () => Promise<number>

/** Two contenders by turns: the median of each, and how many times the first one the second is. */
export async function compare(turns: number, first: Once, second: Once) {
  const results = await byTurns(turns, { first, second })
  return {
    first: median(results.first),
    second: median(results.second),
    ratio: medianRatio(results.second, results.first),
  }
}

interface Contest {
  turns: number
  /** How many single calls one turn takes. */
  calls: number
  first: Once
  second: Once
  /** How many times as much the second one returns. */
  growth?: number
}

/** Adds a row: how long two calls take, and how many times as long the second one does for what it returns. */
export async function addTimes(rows: Rows, what: string, contest: Contest) {
  const { turns, calls, first, second, growth = 1 } = contest
  const found = await compare(
    turns,
    () => medianOf(calls, first),
    () => medianOf(calls, second),
  )
  const ratio = found.ratio / growth
  rows.add(what, milliseconds(found.first), milliseconds(found.second), times(ratio))
  return { ...found, ratio }
}

/** The median of `count` single calls, one after the other. */
export async function medianOf(count: number, once: Once): Promise<number> {
  const all: number[] = []
  for (let call = 0; call < count; call++) all.push(await once())
  return median(all)
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}

export interface Timing {
  /** How long each time since the last call took, in ms. */
  take(): number[]
  stop(): Promise<void>
}

/** Does something again and again. A time that failed counts as one that never ended, and is the last. */
export function keepTiming(act: () => Promise<unknown>, pauseMs: number): Timing {
  const taken: number[] = []
  let isOn = true
  const running = repeat().catch((error: Error) => {
    process.stderr.write(`bench: ${error.message}\n`)
    taken.push(Number.POSITIVE_INFINITY)
  })
  return {
    take: () => taken.splice(0),
    async stop() {
      isOn = false
      await running
    },
  }

  async function repeat(): Promise<void> {
    while (isOn) {
      taken.push(await timed(act))
      await wait(pauseMs)
    }
  }
}
