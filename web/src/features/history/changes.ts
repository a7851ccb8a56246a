import type { NameChange, PastValue } from "@envkeep/contract"

/** One name on the screen: its value before and after. */
export interface ChangedName {
  name: string
  /** If the item was renamed. */
  previousName?: string
  before: PastValue
  after: PastValue
}

export interface ChangeGroups {
  added: ChangedName[]
  changed: ChangedName[]
  renamed: ChangedName[]
  removed: ChangedName[]
}

/** A renamed item comes as two names, one removed and one added. Here it is one. */
export function groupChanges(changes: readonly NameChange[]): ChangeGroups {
  const groups: ChangeGroups = { added: [], changed: [], renamed: [], removed: [] }
  const removed = new Map(changes.filter(({ after }) => after.state === "removed").map((one) => [one.name, one]))
  const renamed = changes.filter(
    ({ previousName, before }) => before.state === "removed" && previousName !== null && removed.has(previousName),
  )
  const oldNames = new Map(renamed.map(({ name, previousName }) => [previousName ?? "", name]))
  for (const { name, previousName, before, after } of changes) {
    const old = oldNames.get(previousName ?? "") === name ? removed.get(previousName ?? "") : undefined
    if (old !== undefined) groups.renamed.push({ name, previousName: old.name, before: old.before, after })
    else if (oldNames.has(name) && after.state === "removed") continue
    else if (before.state === "removed") groups.added.push({ name, before, after })
    else if (after.state === "removed") groups.removed.push({ name, before, after })
    else groups.changed.push({ name, before, after })
  }
  return groups
}

/** What would change if the later state became the earlier one again. */
export function reversed(changes: readonly NameChange[]): NameChange[] {
  return changes.map(({ name, before, after }) => ({ name, previousName: null, before: after, after: before }))
}

/** The changes of the environment's own items: what it inherited counts as not set. */
export function ownChanges(changes: readonly NameChange[]): NameChange[] {
  return changes
    .map((change) => ({ ...change, before: ownValue(change.before), after: ownValue(change.after) }))
    .filter(({ before, after }) => before.state !== "removed" || after.state !== "removed")
}

function ownValue(past: PastValue): PastValue {
  return past.inheritedFrom == null ? past : { state: "removed", value: null }
}

/** Names whose value cannot be restored, because it was erased or is damaged. */
export function unrestorable(changes: readonly NameChange[]): string[] {
  return changes.filter(({ after }) => after.state === "erased" || after.state === "damaged").map(({ name }) => name)
}

/** The two revisions in `?compare=3-12`, in order. Undefined if it is anything else. */
export function readCompared(text: string | null): [earlier: number, later: number] | undefined {
  const [, one, other] = /^([1-9]\d{0,14})-([1-9]\d{0,14})$/.exec(text ?? "") ?? []
  if (one === undefined || other === undefined || one === other) return undefined
  const [a, b] = [Number(one), Number(other)]
  return a < b ? [a, b] : [b, a]
}
