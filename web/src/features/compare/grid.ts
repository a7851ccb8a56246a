import { type About, type Environment, type InheritedItem, type Item, inheritedItems } from "@envkeep/contract"
import { misfit } from "../names/problems.ts"
import type { Abouts } from "../names/queries.ts"

/** One environment, with what it sets and what it inherits, by name. */
export interface Column {
  environment: Environment
  own: ReadonlyMap<string, Item>
  inherited: ReadonlyMap<string, InheritedItem>
  /** The column of the environment that it inherits from. */
  base: Column | undefined
}

/** What an environment has under a name. */
export interface Cell {
  /** Hidden: it is set, but the user may not see the value. Damaged: no one can. */
  state: "missing" | "hidden" | "damaged" | "empty" | "value"
  /** Null if it is not known. */
  value: string | null
  /** Undefined if the environment does not set it itself. */
  item: Item | undefined
  /** The environment that it comes from, if that is another one. */
  inheritedFrom: number | undefined
  /** Whether it is set here instead of inherited. */
  overrides: boolean
}

/** One name over all columns that are shown. */
export interface Row {
  name: string
  about: About | undefined
  isMissing: boolean
  isRequiredAndMissing: boolean
  differs: boolean
  misfits: boolean
}

export const filters = {
  all: { label: "All", includes: () => true },
  missing: { label: "Missing somewhere", includes: ({ isMissing }) => isMissing },
  differs: { label: "Differs", includes: ({ differs }) => differs },
  required: { label: "Required and missing", includes: ({ isRequiredAndMissing }) => isRequiredAndMissing },
  misfits: { label: "Does not fit", includes: ({ misfits }) => misfits },
} as const satisfies Record<string, { label: string; includes: (row: Row) => boolean }>
export type Filter = keyof typeof filters
export const filterNames = Object.keys(filters) as Filter[]

export function columnsOf(environments: readonly Environment[]): ReadonlyMap<number, Column> {
  const columns = new Map<number, Column>()
  for (const environment of environments) {
    columns.set(environment.id, {
      environment,
      own: byName(environment.collectionItems),
      inherited: byName(environment.baseId === null ? [] : inheritedItems(environment, environments)),
      base: undefined,
    })
  }
  for (const column of columns.values()) {
    const { baseId } = column.environment
    if (baseId !== null) column.base = columns.get(baseId)
  }
  return columns
}

function byName<Named extends { name: string }>(all: readonly Named[]): Map<string, Named> {
  return new Map(all.map((one) => [one.name, one]))
}

export function cellOf(column: Column, name: string): Cell {
  const item = column.own.get(name)
  const inherited = item === undefined ? column.inherited.get(name) : undefined
  const value = (item ?? inherited)?.value ?? null
  return {
    state: stateOf(column, item ?? inherited),
    value,
    item,
    inheritedFrom: inherited?.environmentId,
    overrides: item !== undefined && column.base !== undefined && isSet(column.base, name),
  }
}

function stateOf({ environment }: Column, set: { value: string | null } | undefined): Cell["state"] {
  if (set === undefined) return "missing"
  if (set.value === null) return environment.valuesHidden ? "hidden" : "damaged"
  return set.value === "" ? "empty" : "value"
}

function isSet({ own, inherited }: Column, name: string): boolean {
  return own.has(name) || inherited.has(name)
}

/** Every name that a column has, every required one, and those that are being added. Sorted. */
export function rowsOf(columns: readonly Column[], abouts: Abouts, added: Iterable<string> = []): Row[] {
  const names = new Set(added)
  for (const { own, inherited } of columns) {
    for (const name of own.keys()) names.add(name)
    for (const name of inherited.keys()) names.add(name)
  }
  for (const { name, isRequired } of abouts.values()) if (isRequired) names.add(name)
  return [...names].sort((one, other) => (one < other ? -1 : 1)).map((name) => rowOf(columns, name, abouts.get(name)))
}

function rowOf(columns: readonly Column[], name: string, about: About | undefined): Row {
  let isMissing = false
  let differs = false
  let misfits = false
  let known: string | undefined
  for (const { own, inherited } of columns) {
    const set = own.get(name) ?? inherited.get(name)
    if (set === undefined) isMissing = true
    const value = set?.value ?? null
    if (value === null) continue
    if (known !== undefined && known !== value) differs = true
    known = value
    misfits ||= misfit(about, value) !== undefined
  }
  return { name, about, isMissing, isRequiredAndMissing: isMissing && about?.isRequired === true, differs, misfits }
}

/**
 * Which cells of a row have the same value: those with the same number. Undefined where there is nothing to compare: no
 * value, one that is not known, or the only one of the row.
 */
export function groupsOf(cells: readonly Cell[]): (number | undefined)[] {
  const groups = new Map<string, number>()
  const all = cells.map(({ value }) => {
    if (value === null) return undefined
    const group = groups.get(value) ?? groups.size
    groups.set(value, group)
    return group
  })
  return all.filter((group) => group !== undefined).length < 2 ? all.map(() => undefined) : all
}

/** How many names a column lacks. */
export function missingIn(column: Column, rows: readonly Row[]): number {
  return rows.reduce((count, { name, isMissing }) => (isMissing && !isSet(column, name) ? count + 1 : count), 0)
}
