import type { Item } from "@envkeep/contract"
import { formatNumber } from "../../ui/counts.ts"

/** What changed in an environment between two reads, by name. */
interface Changes {
  added: string[]
  changed: string[]
  removed: string[]
}

export function changesBetween(before: Item[], now: Item[]): Changes {
  const old = new Map(before.map(({ name, value }) => [name, value]))
  const left = new Set(now.map(({ name }) => name))
  const names = (items: Item[]) => items.map(({ name }) => name)
  return {
    added: names(now.filter(({ name }) => !old.has(name))),
    changed: names(now.filter(({ name, value }) => old.has(name) && old.get(name) !== value)),
    removed: names(before.filter(({ name }) => !left.has(name))),
  }
}

export function isUnchanged({ added, changed, removed }: Changes): boolean {
  return added.length + changed.length + removed.length === 0
}

export function describeChanges({ added, changed, removed }: Changes): string {
  const kinds = [
    ["Added", added],
    ["Changed", changed],
    ["Removed", removed],
  ] as const
  return kinds.flatMap(([what, names]) => (names.length === 0 ? [] : [`${what}: ${listNames(names)}.`])).join(" ")
}

/** A list of thousands would push the question out of view. */
const maxNames = 20

function listNames(names: string[]): string {
  const more = names.length - maxNames
  return names.slice(0, maxNames).join(", ") + (more > 0 ? ` and ${formatNumber(more)} more` : "")
}
