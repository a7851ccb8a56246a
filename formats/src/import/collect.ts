import type { ImportEntry, ImportFault } from "./result.ts"
import { type Member, member, type Tree, textOf } from "./tree.ts"

/** Collects what a recogniser finds. */
export interface Found {
  entries: ImportEntry[]
  faults: ImportFault[]
}

export function nothingFound(): Found {
  return { entries: [], faults: [] }
}

/** What a variable of a product looks like besides its name and value. */
type Extra = Pick<ImportEntry, "description" | "from" | "hasReference">

/** Members whose values are text. Everything else is reported. */
export function addMembers(found: Found, members: Member[], extra: Extra = {}): void {
  for (const { name, line, value, description } of members) {
    if (value.kind === "text") {
      found.entries.push({ line, name, value: value.text, ...(description !== undefined && { description }), ...extra })
    } else addNotText(found, { name, line, value })
  }
}

/** Items such as `{ "key": "A", "value": "1" }`, by the names that their members have. */
export function addPairs(
  found: Found,
  items: Tree[],
  keys: { name: string; value: string; note?: string },
  extra: Extra = {},
): void {
  for (const item of items) {
    if (item.kind === "reported") continue
    const name = textOf(member(item, keys.name))
    const value = member(item, keys.value)
    const description = keys.note === undefined ? undefined : textOf(member(item, keys.note))
    if (name === undefined) found.faults.push({ line: item.line, reason: `it has no ${keys.name}` })
    else if (value?.kind === "text") {
      found.entries.push({ line: item.line, name, value: value.text, ...(description && { description }), ...extra })
    } else if (value === undefined) found.faults.push({ line: item.line, reason: `${name} has no value` })
    else addNotText(found, { name, line: item.line, value })
  }
}

/** Items such as `"A=1"`. `withoutValue` says what an item without an equals sign means. */
export function addAssignments(found: Found, items: Tree[], withoutValue: string, extra: Extra = {}): void {
  for (const item of items) {
    if (item.kind === "reported") continue
    const text = textOf(item)
    const at = text?.indexOf("=") ?? -1
    if (text === undefined) found.faults.push({ line: item.line, reason: "it is not a NAME=value text" })
    else if (at === -1) found.faults.push({ line: item.line, reason: withoutValue })
    else found.entries.push({ line: item.line, name: text.slice(0, at), value: text.slice(at + 1), ...extra })
  }
}

export function addNotText({ faults }: Found, { name, line, value }: Member): void {
  if (value.kind === "null") faults.push({ line, reason: `the value of ${name} is null` })
  else if (value.kind !== "reported") {
    faults.push({ line, reason: `the value of ${name} is ${value.kind === "list" ? "a list" : "an object"}, not text` })
  }
}

/** A variable whose value a secret, a field or another store has. */
export function isElsewhere(item: Tree): boolean {
  return elsewhereKeys.some((key) => member(item, key)?.kind === "map")
}

const elsewhereKeys = ["valueFrom", "valueSource"]

export function elsewhere(item: Tree): ImportFault {
  const key = elsewhereKeys.find((one) => member(item, one) !== undefined)
  return { line: item.line, reason: `the value of ${textOf(member(item, "name"))} is kept elsewhere (${key})` }
}
