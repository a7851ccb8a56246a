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

/** Two contenders by turns: the median of each, and how many times the first one the second is. */
export async function compare(
  turns: number,
  first: () => Promise<number>,
  second: () => Promise<number>,
): Promise<{ first: number; second: number; ratio: number }> {
  const results = await byTurns(turns, { first, second })
  return {
    first: median(results.first),
    second: median(results.second),
    ratio: medianRatio(results.second, results.first),
  }
}

/** The median of `count` single calls, one after the other. */
export async function medianOf(count: number, once: () => Promise<number>): Promise<number> {
  const all: number[] = []
  for (let call = 0; call < count; call++) all.push(await once())
  return median(all)
}

export async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now()
  await work()
  return performance.now() - began
}
