import { type Item, limits, sentences } from "@envkeep/contract"
import type { Variable } from "@envkeep/formats"
import type { Incoming } from "./import-text.ts"

/** Merge keeps the items that the text does not name; replace makes the environment hold exactly the text. */
export type Mode = "merge" | "replace"

export interface Plan {
  added: Variable[]
  /** With the stored value before; null when that cannot be read. */
  changed: (Variable & { before: string | null })[]
  unchanged: string[]
  removed: string[]
  /** Items that a merge would have to keep and cannot, by name. */
  unkeepable: string[]
  /** The whole environment after the import. */
  result: Variable[]
}

/**
 * What importing would do. It is saved by one call with the whole list, so that it happens entirely or not at all. That
 * call cannot carry a damaged item, whose value nobody knows: a merge that does not give it a new value would delete it
 * unasked, so such a merge is refused. Calls for single items could keep it, but could also stop half-way.
 */
export function planImport({ values }: Incoming, items: Item[], mode: Mode): Plan {
  const plan: Plan = { added: [], changed: [], unchanged: [], removed: [], unkeepable: [], result: [] }
  for (const { name, value: before } of items) {
    const value = values.get(name)
    if (value !== undefined) {
      if (value === before) plan.unchanged.push(name)
      else plan.changed.push({ name, before, value })
      plan.result.push({ name, value })
    } else if (mode === "replace") plan.removed.push(name)
    else if (before === null) plan.unkeepable.push(name)
    else plan.result.push({ name, value: before })
  }
  const held = new Set(items.map(({ name }) => name))
  plan.added = Array.from(values, ([name, value]) => ({ name, value })).filter(({ name }) => !held.has(name))
  plan.result.push(...plan.added)
  return plan
}

/** Why it cannot be saved as it stands, or nothing. */
export function obstacle(incoming: Incoming, plan: Plan, leaveOut: boolean): string | undefined {
  if (!leaveOut && incoming.faults.length + incoming.refused.length > 0) {
    return "Mend what cannot be imported, or choose to leave it out"
  }
  if (incoming.values.size === 0) return "No data found"
  if (plan.unkeepable.length > 0) {
    return `Give ${plan.unkeepable.join(", ")} a value or delete it first: it cannot be read`
  }
  if (plan.result.length > limits.itemsPerEnvironment) return sentences.environmentFull
  return undefined
}
