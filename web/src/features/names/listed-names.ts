import { type About, type Environment, inheritedItems } from "@envkeep/contract"
import { type Abouts, aboutOf } from "./queries.ts"

export interface ListedName {
  about: About
  isDescribed: boolean
  /** The names of the environments that have it, their own or inherited, and of those that do not. */
  usedIn: string[]
  missingIn: string[]
}

/** All names over all environments, and those that are only described. Sorted by name. */
export function listedNames(environments: readonly Environment[], abouts: Abouts): ListedName[] {
  const users = new Map<string, Set<number>>(Array.from(abouts.keys(), (name) => [name, new Set<number>()]))
  for (const environment of environments) {
    const { id, collectionItems } = environment
    for (const { name } of [...collectionItems, ...inheritedItems(environment, environments)]) {
      const ids = users.get(name)
      if (ids === undefined) users.set(name, new Set([id]))
      else ids.add(id)
    }
  }
  return Array.from(users, ([name, ids]) => ({
    about: aboutOf(abouts, name),
    isDescribed: abouts.has(name),
    usedIn: environments.filter(({ id }) => ids.has(id)).map((one) => one.name),
    missingIn: environments.filter(({ id }) => !ids.has(id)).map((one) => one.name),
  })).sort((one, other) => (one.about.name < other.about.name ? -1 : 1))
}

export const shownNames = {
  all: { label: "All names", isShown: () => true },
  described: { label: "Described", isShown: ({ isDescribed }) => isDescribed },
  undescribed: { label: "Not described", isShown: ({ isDescribed }) => !isDescribed },
  required: { label: "Required", isShown: ({ about }) => about.isRequired },
  missing: { label: "Required and missing", isShown: isMissing },
} as const satisfies Record<string, { label: string; isShown: (one: ListedName) => boolean }>
export type ShownNames = keyof typeof shownNames

export function isMissing({ about, missingIn }: ListedName): boolean {
  return about.isRequired && missingIn.length > 0
}
