import type { Item, ReloadedCollection } from "@envkeep/contract"
import { expect, test } from "vitest"
import { type HeldCollection, type HeldEnvironment, heldTags, mergedCollection } from "./held-collection.ts"

/** A tag with these two halves. */
const tag = (items: string, rest: string) => items.padEnd(11, "-") + rest.padEnd(11, "-")

const item = (value: string | null): Item => ({ id: 1, name: "A", value, subCollectionId: 1, revision: 1 })

function environment(id: number, given: Partial<HeldEnvironment> = {}): HeldEnvironment {
  return {
    id,
    name: `environment ${id}`,
    collectionId: 1,
    revision: 1,
    itemCount: 1,
    isProtected: false,
    baseId: null,
    valuesHidden: false,
    collectionItems: [item(`of ${id}`)],
    apiKeys: [],
    tag: tag(`i${id}`, "r"),
    ...given,
  }
}

const fields = { id: 1, name: "app", description: "", changedAt: null, role: "owner" } as const
const held = (...subCollections: HeldEnvironment[]): HeldCollection => ({ ...fields, subCollections })
const answer = (given: Partial<ReloadedCollection>): ReloadedCollection => ({ ...fields, subCollections: [], ...given })

test("what is unchanged stays, what is read takes its place by id, and what is in neither is gone", () => {
  const before = held(environment(1), environment(2), environment(4))
  const now = environment(2, { collectionItems: [item("new")] })
  const added = environment(3)
  expect(mergedCollection(before, answer({ name: "renamed", subCollections: [added, now], unchanged: [1] }))).toEqual({
    ...held(environment(1), now, added),
    name: "renamed",
  })
})

test("an environment that comes without its items keeps those that are held", () => {
  const { collectionItems: _, ...head } = environment(1, { name: "renamed", tag: tag("i1", "other") })
  const read = { ...head, collectionItems: [], sameItems: true as const }
  const whole = environment(1, { name: "renamed", tag: tag("i1", "other") })
  expect(mergedCollection(held(environment(1)), answer({ subCollections: [read] }))).toEqual(held(whole))
})

test("an answer that counts on what is not held does not fit", () => {
  const sameItems = { ...environment(1), collectionItems: [], sameItems: true as const }
  const others = [
    undefined,
    held(),
    held(environment(1, { tag: undefined })),
    held(environment(1, { tag: tag("i2", "r") })),
  ]
  for (const other of others) expect(mergedCollection(other, answer({ subCollections: [sameItems] }))).toBe(undefined)
  for (const other of others.slice(0, 3)) expect(mergedCollection(other, answer({ unchanged: [1] }))).toBe(undefined)
})

test("a server that knows no tags answers whole", () => {
  const whole = environment(1, { tag: undefined })
  expect(mergedCollection(held(environment(1), environment(2)), answer({ subCollections: [whole] }))).toEqual(
    held(whole),
  )
})

test("what is held is named by its tags, the largest first, without what has none or did not open", () => {
  expect(heldTags(held())).toBe("none")
  expect(heldTags(held(environment(1, { tag: undefined })))).toBe("none")
  const hidden = environment(2, { valuesHidden: true, collectionItems: [item(null)] })
  const damaged = environment(3, { collectionItems: [item("a"), item(null)] })
  const large = environment(4, { itemCount: 400 })
  expect(heldTags(held(environment(1), hidden, damaged, large))).toBe(
    [tag("i4", "r"), tag("i1", "r"), tag("i2", "r")].join(" "),
  )
})
