import type { Environment } from "@envkeep/contract"
import { useMemo } from "react"
import type { Inheritance } from "../../lib/inheritance.ts"
import { listedItems } from "./listed-items.ts"
import type { Drafts } from "./use-drafts.ts"
import { useItemFilter } from "./use-item-filter.ts"

interface ListedItemsOptions {
  environment: Environment
  inheritance: Inheritance
  drafts: Drafts
}

/** The rows of an environment that the filter leaves, and what the list knows about each. */
export function useListedItems({ environment, inheritance, drafts }: ListedItemsOptions) {
  const { search, all, ...rest } = useItemFilter({ environment, inheritance, own: drafts.rows })
  const overrides = new Map(drafts.newRows.map((row) => [row.over?.id, row]))
  const inherited = useMemo(() => new Set(inheritance.items.map(({ id }) => id)), [inheritance])
  const { rows, found } = listedItems(all, {
    search,
    nameOf: (item) => (drafts.of(item) ?? item).name,
    isUnsaved: (item) => drafts.of(item) !== undefined || overrides.has(item.id),
  })
  // What a new row would override may have been deleted in the meantime.
  const newRows = drafts.newRows.filter(({ over }) => over === undefined || !inherited.has(over.id))
  return { ...rest, search, all, rows, found, newRows, overrides, inherited }
}
