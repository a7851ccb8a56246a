import type { Item } from "@envkeep/contract"
import type { Inheritance } from "../../lib/inheritance.ts"

/**
 * The items of an environment and what it inherits, by id. An item that hides an inherited one takes its place, so that a
 * row stays where it is when it gets a value of its own, or loses it again.
 */
export function inPlace(own: readonly Item[], { items, overridden }: Inheritance): Item[] {
  const place = (item: Item) => overridden.get(item.name)?.id ?? item.id
  return [...own, ...items].sort((a, b) => place(a) - place(b))
}
