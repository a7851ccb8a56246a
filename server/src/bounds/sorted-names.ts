import { startPace } from "./turns.ts"

/** To sort this many is a short piece of work. */
const namesPerRun = 500

/**
 * Collects names, each once and sorted, in pieces of work. Sorted runs are merged: to sort 180,000 names at once, or to
 * enlarge a set of them, would hold up all other requests.
 */
export interface SortedNames {
  add(names: readonly string[]): Promise<void>
  all(): Promise<string[]>
}

export function sortedNames(): SortedNames {
  const pace = startPace()
  /** Each is more than twice as long as the next, so a name is merged only as often as the number of names doubles. */
  const runs: string[][] = []

  async function mergeLast(): Promise<void> {
    const [one = [], other = []] = runs.splice(-2)
    if (isBefore(one, other)) {
      runs.push(one.concat(other))
      return
    }
    const merged: string[] = []
    for (let [at, otherAt] = [0, 0]; ; ) {
      const [name, otherName] = [one[at], other[otherAt]]
      const next = otherName === undefined || (name !== undefined && name < otherName) ? name : otherName
      if (next === undefined) break
      merged.push(next)
      if (name === next) at++
      if (otherName === next) otherAt++
      if (pace.isDue()) await pace.turn()
    }
    runs.push(merged)
  }

  function isLastLong(): boolean {
    const [one = [], other = []] = runs.slice(-2)
    return one.length <= 2 * other.length
  }

  return {
    async add(names) {
      for (let at = 0; at < names.length; at += namesPerRun) {
        runs.push([...new Set(names.slice(at, at + namesPerRun))].sort())
        if (pace.isDue()) await pace.turn()
        while (runs.length > 1 && isLastLong()) await mergeLast()
      }
    },
    async all() {
      while (runs.length > 1) await mergeLast()
      return runs[0] ?? []
    },
  }
}

/** True for most of what an engine returns sorted. */
function isBefore(one: readonly string[], other: readonly string[]): boolean {
  const [last, first] = [one.at(-1), other[0]]
  return last !== undefined && first !== undefined && last < first
}
