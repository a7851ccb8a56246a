import { items } from "@envkeep/contract"
import type { Refused, Variable } from "@envkeep/formats"
import { type FindingKind, type ImportEntry, repaired } from "@envkeep/formats/import"
import type { ReadText } from "./read-text.ts"

/** Which of several equal names counts. With "each", the choice is made per name. */
export type DuplicateRule = "last" | "first" | "each"

/** What the user decided about a text. */
export interface Choices {
  /** The only part of the text to import, such as one service. Undefined for all. */
  from: string | undefined
  /** The repairs to make, by `repairKey`. */
  repairs: ReadonlySet<string>
  rule: DuplicateRule
  /** With the rule "each": the place that counts, by name. Without one, the last does. */
  picked: ReadonlyMap<string, number>
}

export const noChoices: Choices = { from: undefined, repairs: new Set(), rule: "last", picked: new Map() }

export interface Duplicate {
  name: string
  /** In the order of the text. */
  places: { line: number; from: string | undefined; value: string }[]
  /** Which of the places counts. */
  chosen: number
  /** All have the same value, so that it does not matter which counts. */
  isSame: boolean
}

/** The variables of a text as they would be stored, before they are compared with an environment. */
export interface Incoming {
  values: Map<string, string>
  faults: { line: number; reason: string }[]
  /** Variables that no environment can hold, with the message of the contract. */
  refused: Refused[]
  duplicates: Duplicate[]
  refusal: string | undefined
}

/** By name and value, so that a repair stays made when other lines of the text are edited. */
export function repairKey(kind: FindingKind, { name, value }: ImportEntry): string {
  return `${kind}\n${name}\n${value}`
}

/** The parts of a text between which can be chosen. Empty if it has one. */
export function partsOf({ entries }: ReadText): string[] {
  return [...new Set(entries.flatMap(({ from }) => (from === undefined ? [] : [from])))]
}

export function incomingOf(read: ReadText, choices: Choices): Incoming {
  const places = new Map<string, Duplicate["places"]>()
  const refused: Refused[] = []
  const kindsAt = repairsAt(read, choices)
  for (const [at, entry] of read.entries.entries()) {
    if (choices.from !== undefined && entry.from !== choices.from) continue
    const value = repaired(entry.value, kindsAt.get(at) ?? [])
    if (value === null) continue
    const checked = check({ name: entry.name, value })
    if ("reason" in checked) {
      refused.push(checked)
      continue
    }
    const known = places.get(checked.name)
    const place = { line: entry.line, from: entry.from, value }
    if (known === undefined) places.set(checked.name, [place])
    else known.push(place)
  }
  const duplicates: Duplicate[] = []
  const values = new Map<string, string>()
  for (const [name, found] of places) {
    const chosen = chosenPlace(name, found.length, choices)
    const isSame = found.every(({ value }) => value === found[0]?.value)
    if (found.length > 1) duplicates.push({ name, places: found, chosen, isSame })
    values.set(name, found[chosen]?.value ?? "")
  }
  return { values, faults: read.faults, refused, duplicates, refusal: read.refusal }
}

/** The repairs to make, by the entry's place. */
function repairsAt({ entries, findings }: ReadText, { repairs }: Choices): Map<number, FindingKind[]> {
  const kindsAt = new Map<number, FindingKind[]>()
  if (repairs.size === 0) return kindsAt
  for (const { kind, at } of findings) {
    const entry = entries[at]
    if (entry !== undefined && repairs.has(repairKey(kind, entry))) kindsAt.set(at, [...(kindsAt.get(at) ?? []), kind])
  }
  return kindsAt
}

function chosenPlace(name: string, count: number, { rule, picked }: Choices): number {
  if (rule === "first") return 0
  const last = count - 1
  return rule === "each" ? Math.min(picked.get(name) ?? last, last) : last
}

/** The variable as it will be stored, or the message with which the server would refuse the whole list. */
function check({ name, value }: Variable): Variable | Refused {
  // An item in a list has the same rules as an update of an item. The id does not matter.
  const checked = items.update.input.safeParse({ id: 1, name, value })
  if (checked.success) return { name: checked.data.name, value }
  return { name, reason: checked.error.issues[0]?.message ?? "Invalid item" }
}
