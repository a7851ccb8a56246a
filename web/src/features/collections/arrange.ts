import type { CollectionSummary } from "@envkeep/contract"

export const sortOrders = ["name", "last change"] as const
export type SortOrder = (typeof sortOrders)[number]

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" })

/** The collections that have all words of the filter in their name, description or environments, in the chosen order. */
export function arrange(collections: CollectionSummary[], filter: string, order: SortOrder): CollectionSummary[] {
  const words = filter.toLowerCase().split(/\s+/)
  return collections
    .filter((collection) => {
      const text = textOf(collection).toLowerCase()
      return words.every((word) => text.includes(word))
    })
    .toSorted((one, other) => {
      const latest = order === "name" ? 0 : (other.changedAt ?? "").localeCompare(one.changedAt ?? "")
      return latest || byName.compare(one.name, other.name) || one.id - other.id
    })
}

function textOf({ name, description, subCollections }: CollectionSummary): string {
  return [name, description, ...subCollections.map((environment) => environment.name)].join("\n")
}
