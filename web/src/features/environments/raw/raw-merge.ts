import type { Item } from "@envkeep/contract"
import type { Variable } from "@envkeep/formats"

/** What happened to a name since the text was opened. */
export type NameFate = "added" | "changed" | "removed" | "unchanged"

export interface NameSide {
  fate: NameFate
  /** Undefined if it does not exist on this side. Null if it cannot be read. */
  value: string | null | undefined
}

export interface NameDifference {
  name: string
  theirs: NameSide
  mine: NameSide
}

type Values = ReadonlyMap<string, string | null>

export function valuesOf(variables: readonly { name: string; value: string | null }[]): Values {
  return new Map(variables.map(({ name, value }) => [name, value]))
}

/** The names that others have changed since the text was opened, with what the text makes of each. */
export function differences(opened: Item[], now: Item[], mine: Variable[]): NameDifference[] {
  const [before, theirs, ours] = [valuesOf(opened), valuesOf(now), valuesOf(mine)]
  const names = [...new Set([...before.keys(), ...theirs.keys()])]
  return names.flatMap((name) => {
    const side = sideOf(before, theirs, name)
    return side.fate === "unchanged" ? [] : [{ name, theirs: side, mine: sideOf(before, ours, name) }]
  })
}

function sideOf(before: Values, after: Values, name: string): NameSide {
  const value = after.get(name)
  if (!before.has(name)) return { fate: after.has(name) ? "added" : "unchanged", value }
  if (!after.has(name)) return { fate: "removed", value: undefined }
  return { fate: before.get(name) === value ? "unchanged" : "changed", value }
}

/** Theirs for each name that others have changed, mine for all other names. */
export function mergeTheirs(opened: Item[], now: Item[], mine: Variable[]): Variable[] {
  const changed = new Map(differences(opened, now, mine).map(({ name, theirs }) => [name, theirs.value]))
  const known = new Set(mine.map(({ name }) => name))
  const kept = mine.flatMap((variable) => {
    if (!changed.has(variable.name)) return [variable]
    const value = changed.get(variable.name)
    return value == null ? [] : [{ name: variable.name, value }]
  })
  const added = now.flatMap(({ name, value }) =>
    changed.has(name) && !known.has(name) && value !== null ? [{ name, value }] : [],
  )
  return [...kept, ...added]
}
