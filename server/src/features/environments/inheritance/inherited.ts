import { type Environment, type InheritedItem, type Item, inheritedInSteps } from "@envkeep/contract"
import { eachWithPauses } from "../../../bounds/turns.ts"

/** What an environment inherits from its bases, merged in pieces of work: each of them may have thousands of items. */
export async function inheritedInPieces(
  environment: Environment,
  bases: readonly Environment[],
): Promise<InheritedItem[]> {
  const inherited: InheritedItem[] = []
  await eachWithPauses(inheritedInSteps(environment, bases), (item) => {
    if (item !== undefined) inherited.push(new ListedInherited(item, environment.valuesHidden))
  })
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
