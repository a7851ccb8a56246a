import { sentences } from "@envkeep/contract"
import { type Refusal, refused } from "./command.ts"
import {
  allHeirs,
  changeItems,
  levelsAbove,
  levelsBelow,
  type ModelEnvironment,
  type ModelItem,
  nextRevision,
  raiseHeirs,
  stateOf,
} from "./model.ts"
import { byId } from "./views.ts"

// What environments inherit from, and what happens to those that inherit.

/** Why an environment cannot inherit from another one of its collection. */
export function baseRefusal(environment: ModelEnvironment, base: ModelEnvironment): Refusal | undefined {
  if (base === environment || allHeirs(environment).includes(base)) return refused(400, sentences.inheritsFromItself)
  if (levelsAbove(base) + 1 + levelsBelow(environment) > 4) return refused(400, sentences.tooManyLevels)
  return base.isProtected && !environment.isProtected ? refused(409, sentences.baseProtected) : undefined
}

/** Something is refused because of those that inherit. */
export const hindered = (sentence: string, heirs: ModelEnvironment[]): Refusal => ({
  refused: 409,
  messages: [sentence],
  heirs: byId(heirs).map(({ id, name }) => ({ id, name })),
})

export function setBase(environment: ModelEnvironment, base: ModelEnvironment | null): void {
  environment.base?.heirs.delete(environment)
  environment.base = base
  base?.heirs.add(environment)
}

/** The heir of a deleted environment gets what it does not have, and inherits from the base of that one. */
export function handDown(heir: ModelEnvironment, base: ModelEnvironment | null, copied: ModelItem[]): void {
  setBase(heir, base)
  const own = stateOf(heir.items.values())
  const missing = copied.filter(({ name }) => !own.has(name))
  if (missing.length > 0) changeItems(heir, () => undefined, new Map([...own, ...stateOf(missing)]))
  else {
    nextRevision(heir)
    raiseHeirs(heir)
  }
  heir.rebasedAt = heir.revision
}
