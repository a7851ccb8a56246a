/**
 * Measures all contenders by turns, each turn beginning with the next of them (A B C B C A C A B ...), so that whatever
 * else the machine does meanwhile, and whatever one leaves behind for the next, hits all of them alike. The results stand
 * in the order of the turns.
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

/** Each turn's ratio, then their median: both were measured seconds apart, so the machine's moods cancel out. */
export function medianRatio(ours: number[], theirs: number[]): number {
  return median(ours.map((value, turn) => value / (theirs[turn] ?? Number.NaN)))
}

/** The median of so many single calls, one after the other. */
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
