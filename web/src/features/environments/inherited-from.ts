import type { Inheritance } from "../../lib/inheritance.ts"
import { formatNumber } from "../../ui/counts.ts"

/** How many variables are inherited and which environments set them: "3 from base". */
export function inheritedFrom({ items, bases }: Inheritance): string {
  const sources = new Set(items.map(({ subCollectionId }) => subCollectionId))
  const names = bases.filter(({ id }) => sources.has(id)).map(({ name }) => name)
  return `${formatNumber(items.length)} from ${new Intl.ListFormat("en-GB").format(names)}`
}
