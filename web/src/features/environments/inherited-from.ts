import type { Inheritance } from "../../lib/inheritance.ts"

/** How many variables are inherited and which environments set them: "3 from base". */
export function inheritedFrom({ items, bases }: Inheritance): string {
  const sources = new Set(items.map(({ subCollectionId }) => subCollectionId))
  const names = bases.filter(({ id }) => sources.has(id)).map(({ name }) => name)
  return `${items.length.toLocaleString("en-US")} from ${new Intl.ListFormat("en-GB").format(names)}`
}
