import { type About, type EnvironmentNames, notDescribed } from "@envkeep/contract"

/** Where a name of an environment comes from: itself, or what it inherits from. */
export type Origin = "own" | "inherited"

/** All names that readers of an environment get, with those that it inherits. */
export function effectiveNames(all: readonly EnvironmentNames[], environment: EnvironmentNames): Map<string, Origin> {
  const byId = new Map(all.map((one) => [one.id, one]))
  const found = new Map<string, Origin>(environment.names.map((name) => [name, "own"]))
  const seen = new Set([environment.id])
  for (let baseId = environment.baseId; baseId !== null && !seen.has(baseId); ) {
    seen.add(baseId)
    const base = byId.get(baseId)
    for (const name of base?.names ?? []) if (!found.has(name)) found.set(name, "inherited")
    baseId = base?.baseId ?? null
  }
  return found
}

export interface NameInCollection extends About {
  /** The environments that have it, by name. */
  has: string[]
  lacks: string[]
}

/** Each name that is described or that an environment has, sorted. */
export function namesOfCollection(
  environments: readonly EnvironmentNames[],
  described: readonly About[],
): NameInCollection[] {
  const abouts = new Map(described.map((about) => [about.name, about]))
  const sets = environments.map((one) => ({ name: one.name, names: effectiveNames(environments, one) }))
  const all = new Set([...abouts.keys(), ...sets.flatMap(({ names }) => [...names.keys()])])
  return [...all].sort().map((name) => ({
    ...(abouts.get(name) ?? notDescribed(name)),
    has: sets.filter(({ names }) => names.has(name)).map((one) => one.name),
    lacks: sets.filter(({ names }) => !names.has(name)).map((one) => one.name),
  }))
}

export interface Difference {
  onlyInFirst: string[]
  onlyInSecond: string[]
  inBoth: string[]
}

export function differenceOf(first: ReadonlyMap<string, Origin>, second: ReadonlyMap<string, Origin>): Difference {
  const sorted = (names: Iterable<string>) => [...names].sort()
  return {
    onlyInFirst: sorted([...first.keys()].filter((name) => !second.has(name))),
    onlyInSecond: sorted([...second.keys()].filter((name) => !first.has(name))),
    inBoth: sorted([...first.keys()].filter((name) => second.has(name))),
  }
}
