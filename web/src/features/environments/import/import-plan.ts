import { type Item, limits, sentences } from "@envkeep/contract"
import type { Variable } from "@envkeep/formats"
import type { Incoming } from "./incoming.ts"

/** Merge keeps items that are not in the text. Replace removes them. */
export type Mode = "merge" | "replace"

export interface Plan {
  added: Variable[]
  /** With the stored value, which is null if it cannot be read. */
  changed: (Variable & { before: string | null })[]
  unchanged: string[]
  removed: string[]
  /** Names of damaged items that a merge would have to keep. */
  damaged: string[]
  /** The whole environment after the import. */
  result: Variable[]
}

/**
 * What an import would do. It is saved by one call with the whole list, so that it happens completely or not at all. The
 * list cannot contain a damaged item, because its value is unknown: a merge without a new value would delete it, so such
 * a merge is refused. A call per item could keep it, but could also stop halfway.
 */
export function planImport({ values }: Incoming, items: Item[], mode: Mode): Plan {
  const plan: Plan = { added: [], changed: [], unchanged: [], removed: [], damaged: [], result: [] }
  for (const { name, value: before } of items) {
    const value = values.get(name)
    if (value !== undefined) {
      if (value === before) plan.unchanged.push(name)
      else plan.changed.push({ name, before, value })
      plan.result.push({ name, value })
    } else if (mode === "replace") plan.removed.push(name)
    else if (before === null) plan.damaged.push(name)
    else plan.result.push({ name, value: before })
  }
  const stored = new Set(items.map(({ name }) => name))
  plan.added = Array.from(values, ([name, value]) => ({ name, value })).filter(({ name }) => !stored.has(name))
  plan.result = plan.result.concat(plan.added)
  return plan
}

/** Why the import cannot be saved. Undefined if it can. */
export function importBlocker(incoming: Incoming, plan: Plan, skip: boolean): string | undefined {
  if (incoming.refusal !== undefined) return incoming.refusal
  if (!skip && incoming.faults.length + incoming.refused.length > 0) {
    return "Fix or skip the lines that can't be imported"
  }
  if (incoming.values.size === 0) return "No data found"
  if (plan.damaged.length > 0) {
    return `Give ${plan.damaged.join(", ")} a value or delete it first: it cannot be read`
  }
  if (plan.result.length > limits.itemsPerEnvironment) return sentences.environmentFull
  return undefined
}
