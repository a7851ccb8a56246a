import {
  type Collection,
  type Environment,
  itemsTag,
  printHeldTags,
  type ReloadedCollection,
  type TaggedEnvironment,
} from "@envkeep/contract"

/** A collection as it is in the cache: whole, and with tags, so that a reload gets only what differs. */
export interface HeldCollection extends Collection {
  subCollections: HeldEnvironment[]
}

export interface HeldEnvironment extends Environment {
  /** Without one, a reload gets it whole. */
  tag?: string | undefined
}

/** What a reload says of what is held: the largest first, if it is too much to say. */
export function heldTags(held: HeldCollection): string {
  const whole = held.subCollections.filter(isIntact)
  const bySize = whole.toSorted((one, other) => other.itemCount - one.itemCount)
  return printHeldTags(bySize.flatMap(({ tag }) => tag ?? []))
}

/** What did not open is read again: the server may be able to open it by now. */
function isIntact({ valuesHidden, collectionItems, apiKeys }: HeldEnvironment): boolean {
  const valuesOpened = valuesHidden || collectionItems.every(({ value }) => value !== null)
  return valuesOpened && apiKeys.every(({ key }) => key !== null)
}

/** What is held, with what a reload got. Undefined if the answer counts on something that is not held. */
export function mergedCollection(
  held: HeldCollection | undefined,
  { unchanged = [], subCollections: read, ...collection }: ReloadedCollection,
): HeldCollection | undefined {
  const heldById = new Map(held?.subCollections.map((environment) => [environment.id, environment]))
  const subCollections: HeldEnvironment[] = []
  for (const id of unchanged) {
    const environment = heldById.get(id)
    if (environment?.tag === undefined) return undefined
    subCollections.push(environment)
  }
  for (const environment of read) {
    const whole = withItems(environment, heldById.get(environment.id))
    if (whole === undefined) return undefined
    subCollections.push(whole)
  }
  return { ...collection, subCollections: subCollections.sort((one, other) => one.id - other.id) }
}

function withItems(
  { sameItems, ...read }: TaggedEnvironment,
  held: HeldEnvironment | undefined,
): HeldEnvironment | undefined {
  if (sameItems !== true) return read
  if (held?.tag === undefined || read.tag === undefined || itemsTag(held.tag) !== itemsTag(read.tag)) return undefined
  return { ...read, collectionItems: held.collectionItems }
}
