import type { About, Item } from "@envkeep/contract"
import { fitsKind } from "@envkeep/formats"
import { ruleOf } from "./kind-words.ts"
import type { Abouts } from "./queries.ts"

/** What an environment lacks. Nothing is refused because of it. */
export interface Problems {
  /** Required names that it does not have. */
  missing: About[]
  /** Values that are not what they should be, and why. Unknown to those who may not see the values. */
  misfits: { name: string; why: string }[]
}

/** `items` are the environment's own and those that it inherits. */
export function problemsOf(items: readonly Pick<Item, "name" | "value">[], abouts: Abouts): Problems {
  if (abouts.size === 0) return { missing: [], misfits: [] }
  const has = new Set(items.map(({ name }) => name))
  return {
    missing: [...abouts.values()].filter(({ name, isRequired }) => isRequired && !has.has(name)),
    misfits: items.flatMap(({ name, value }) => {
      const why = misfit(abouts.get(name), value)
      return why === undefined ? [] : [{ name, why }]
    }),
  }
}

/** Why a value is not what it should be. An optional variable can be empty. */
export function misfit(about: About | undefined, value: string | null): string | undefined {
  if (about === undefined || value === null) return undefined
  if (value === "") return about.isRequired ? "It is required, but empty." : undefined
  return fitsKind(about, value) ? undefined : `It should be ${ruleOf(about)}.`
}
