import { type Environment, type EnvironmentSummary, type Item, limits } from "@envkeep/contract"
import { useMemo } from "react"

/** What an environment gets from its base, the base of that one, and so on. */
export interface Inheritance {
  /** Nearest first. */
  bases: Environment[]
  /** The items of its bases that it does not set itself. */
  items: Item[]
  /** The items of its bases that it sets itself too, by name. */
  overridden: ReadonlyMap<string, Item>
}

const nothing: Inheritance = { bases: [], items: [], overridden: new Map() }

export function inheritanceOf(
  { collectionItems }: Pick<Environment, "collectionItems">,
  bases: Environment[],
): Inheritance {
  if (bases.length === 0) return nothing
  const own = new Set(collectionItems.map(({ name }) => name))
  const found = new Map<string, Item>()
  for (const base of bases)
    for (const item of base.collectionItems) if (!found.has(item.name)) found.set(item.name, item)
  const items: Item[] = []
  const overridden = new Map<string, Item>()
  for (const item of found.values()) {
    if (own.has(item.name)) overridden.set(item.name, item)
    else items.push(item)
  }
  return { bases, items, overridden }
}

/** Thousands of items are put together again only if one of the environments has changed. */
export function useInheritance(environment: Environment, environments: readonly Environment[]): Inheritance {
  const [first, second, third, fourth] = basesOf(environment, environments)
  return useMemo(
    () =>
      inheritanceOf(
        environment,
        [first, second, third, fourth].filter((base) => base !== undefined),
      ),
    [environment, first, second, third, fourth],
  )
}

/** What apps get, in the order in which they get it. */
export function effectiveItems({ collectionItems }: Pick<Environment, "collectionItems">, { items }: Inheritance) {
  return items.length === 0 ? collectionItems : [...collectionItems, ...items].sort((a, b) => a.id - b.id)
}

type Node = Pick<EnvironmentSummary, "id" | "baseId">

/** Nearest first. */
export function basesOf<One extends Node>({ baseId }: Pick<Node, "baseId">, environments: readonly One[]): One[] {
  const bases: One[] = []
  for (let id = baseId; id !== null && bases.length < limits.inheritanceLevels; ) {
    const base = environments.find((one) => one.id === id)
    if (base === undefined) break
    bases.push(base)
    id = base.baseId
  }
  return bases
}

/** Everything that inherits from an environment: its direct heirs first, then theirs, and so on. */
export function heirLevels<One extends Node>({ id }: Pick<Node, "id">, environments: readonly One[]): One[][] {
  const levels: One[][] = []
  let above = new Set([id])
  while (above.size > 0 && levels.length < limits.inheritanceLevels) {
    const heirs = environments.filter(({ baseId }) => baseId !== null && above.has(baseId))
    if (heirs.length > 0) levels.push(heirs)
    above = new Set(heirs.map((heir) => heir.id))
  }
  return levels
}

/**
 * What an environment could inherit from without a circle and without too many levels. Its protection does not matter
 * here: that can be changed.
 */
export function possibleBases<One extends Node>(environment: Node, environments: readonly One[]): One[] {
  const below = heirLevels(environment, environments)
  const excluded = new Set([environment.id, ...below.flat().map(({ id }) => id)])
  return environments.filter(
    (one) => !excluded.has(one.id) && basesOf(one, environments).length + 1 + below.length <= limits.inheritanceLevels,
  )
}
