import { type Environment, inheritedItems } from "@envkeep/contract"

/** A name whose value in the target would be another one after the copy. */
export interface CopyRow {
  name: string
  kind: "missing" | "different"
  /** In the target, set there or inherited. Undefined if it is missing, null if it cannot be read. */
  before: string | null | undefined
  after: string
  /** Whether the target inherits it, and would set it itself after the copy. */
  overrides: boolean
}

export interface CopyPlan {
  /** By name. */
  rows: CopyRow[]
  /** How many names have the same value in both. */
  same: number
  /** Names of the source whose values cannot be read. */
  damaged: string[]
}

/** What a copy from one environment to another would change, with what both inherit. */
export function planCopy(source: Environment, target: Environment, environments: readonly Environment[]): CopyPlan {
  const own = new Set(target.collectionItems.map(({ name }) => name))
  const current = effectiveValues(target, environments)
  const rows: CopyRow[] = []
  const damaged: string[] = []
  let same = 0
  for (const [name, after] of effectiveValues(source, environments)) {
    const before = current.get(name)
    if (after === null) damaged.push(name)
    else if (before === after) same++
    else {
      const kind = before === undefined ? "missing" : "different"
      rows.push({ name, kind, before, after, overrides: kind === "different" && !own.has(name) })
    }
  }
  rows.sort((one, other) => (one.name < other.name ? -1 : 1))
  return { rows, same, damaged }
}

/** What readers get. A value that cannot be read is null. */
function effectiveValues(
  environment: Environment,
  environments: readonly Environment[],
): ReadonlyMap<string, string | null> {
  const all = [...environment.collectionItems, ...inheritedItems(environment, environments)]
  return new Map(all.map(({ name, value }) => [name, value]))
}

export function hasValues(environment: Environment, environments: readonly Environment[]): boolean {
  return !environment.valuesHidden && effectiveValues(environment, environments).size > 0
}

/** The environment that has most of these names. Of several, it is the first. */
export function sourceOf(
  names: readonly string[],
  sources: readonly Environment[],
  environments: readonly Environment[],
): Environment | undefined {
  const counts = sources.map((one) => {
    const values = effectiveValues(one, environments)
    return names.filter((name) => values.has(name)).length
  })
  return sources[counts.indexOf(Math.max(...counts))]
}
