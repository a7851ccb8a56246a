import type { Item } from "@envkeep/contract"

/** What happened to an environment between two readings of it, by name. */
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

export function sentencesOf({ added, changed, removed }: Changes): string {
  const told = [
    ["Added", added],
    ["Changed", changed],
    ["Removed", removed],
  ] as const
  return told.flatMap(([what, names]) => (names.length === 0 ? [] : [`${what}: ${listed(names)}.`])).join(" ")
}

/** Enough names to recognise what happened; a list of thousands would hide the question. */
const mostNames = 20

function listed(names: string[]): string {
  const more = names.length - mostNames
  return names.slice(0, mostNames).join(", ") + (more > 0 ? ` and ${more.toLocaleString("en-US")} more` : "")
}
