import type { Environment, Item } from "@envkeep/contract"
import { useMemo, useState } from "react"
import type { Inheritance } from "../../lib/inheritance.ts"
import { inPlace } from "./in-place.ts"
import { useItemArrival } from "./use-arrive-at.ts"

interface ItemFilterOptions {
  environment: Environment
  inheritance: Inheritance
  /** The items of the environment itself, with those that are not saved. */
  own: readonly Item[]
}

/** All items that the list of an environment can show, and what it is filtered by. */
export function useItemFilter({ environment, inheritance, own }: ItemFilterOptions) {
  const [filter, setFilter] = useState("")
  const arrival = useItemArrival(environment)
  // The filter may hide the item that a link points to.
  if (arrival.item !== undefined && filter !== "") setFilter("")
  const all = useMemo(() => inPlace(own, inheritance), [own, inheritance])
  return { filter, setFilter, search: filter.trim().toLowerCase(), all, arrival }
}
