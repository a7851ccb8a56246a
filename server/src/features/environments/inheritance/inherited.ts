import { type Environment, type InheritedItem, type Item, inheritedInSteps } from "@envkeep/contract"
import { startPace } from "../../../bounds/turns.ts"

/** What an environment inherits from its bases, merged in pieces of work: each of them may have thousands of items. */
export async function inheritedInPieces(
  environment: Environment,
  bases: readonly Environment[],
): Promise<InheritedItem[]> {
  const inherited: InheritedItem[] = []
  const pace = startPace()
  for (const item of inheritedInSteps(environment, bases)) {
    if (item !== undefined) inherited.push(new ListedInherited(item, environment.valuesHidden))
    if (pace.isDue()) await pace.turn()
  }
  return inherited
}

/** A class, because there can be tens of thousands, and objects with getters of their own keep the collector busy. */
class ListedInherited implements InheritedItem {
  readonly #item: Item
  readonly #isHidden: boolean

  constructor(item: Item, isHidden: boolean) {
    this.#item = item
    this.#isHidden = isHidden
  }

  get name() {
    return this.#item.name
  }

  /** Opened each time it is read. */
  get value() {
    return this.#isHidden ? null : this.#item.value
  }

  get environmentId() {
    return this.#item.subCollectionId
  }
}
