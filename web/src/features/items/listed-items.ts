import type { Item } from "@envkeep/contract"
import type { Inheritance } from "../../lib/inheritance.ts"

interface Search {
  /** In lower case. Empty: everything is listed. */
  search: string
  /** The name that the row shows, which may be an unsaved edit. */
  nameOf: (item: Item) => string
  isUnsaved: (item: Item) => boolean
}

/** A row with an unsaved edit is always listed, so that no edit is forgotten. */
export function listedItems(all: Item[], { search, nameOf, isUnsaved }: Search): { rows: Item[]; found: number } {
  if (search === "") return { rows: all, found: all.length }

  const isFound = (item: Item) => matches(nameOf(item), search)
  const rows = all.filter((item) => isFound(item) || isUnsaved(item))
  return { rows, found: rows.filter(isFound).length }
}

export function matches(name: string, search: string): boolean {
  return name.toLowerCase().includes(search)
}

/** What takes the focus when a row goes: the next one, or the place where items are added. */
export function rowAfter(rows: Item[], item: Item): number | "add" {
  return rows[rows.findIndex(({ id }) => id === item.id) + 1]?.id ?? "add"
}

/** The name of the base that has the item. */
export function baseNameOf({ bases }: Inheritance, item: Item | undefined): string | undefined {
  return bases.find(({ id }) => id === item?.subCollectionId)?.name
}
