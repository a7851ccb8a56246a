import type { Environment } from "@envkeep/contract"
import { expect, test } from "vitest"
import { basesOf, effectiveItems, heirLevels, inheritanceOf, possibleBases } from "./inheritance.ts"

const ids = (some: readonly { id: number }[]) => some.map(({ id }) => id)

/** A chain from 1 down to 5, and two that are not part of it. */
const chain = [
  { id: 1, baseId: null },
  { id: 2, baseId: 1 },
  { id: 3, baseId: 2 },
  { id: 4, baseId: 3 },
  { id: 5, baseId: 4 },
  { id: 6, baseId: null },
  { id: 7, baseId: 1 },
]
const [one, two, , , five, six] = chain as [Node, Node, Node, Node, Node, Node]
type Node = { id: number; baseId: number | null }

test("bases are found from the nearest to the farthest, and heirs level by level", () => {
  expect(ids(basesOf(five, chain))).toEqual([4, 3, 2, 1])
  expect(ids(basesOf({ baseId: 99 }, chain))).toEqual([])
  expect(heirLevels(one, chain).map(ids)).toEqual([[2, 7], [3], [4], [5]])
  expect(heirLevels(six, chain)).toEqual([])
})

test("an environment can have no base that is itself, inherits from it or has too many levels above", () => {
  expect(ids(possibleBases(six, chain))).toEqual([1, 2, 3, 4, 7])
  // With three levels of heirs below, only one may be above.
  expect(ids(possibleBases(two, chain))).toEqual([1, 6])
  expect(ids(possibleBases(one, chain))).toEqual([])
})

test("the nearest base that sets a name counts, and what is set here hides it", () => {
  const environment = (id: number, ...items: [id: number, name: string, value: string][]) =>
    ({
      id,
      collectionItems: items.map(([itemId, name, value]) => ({
        id: itemId,
        name,
        value,
        subCollectionId: id,
        revision: 1,
      })),
    }) as Environment
  const root = environment(1, [1, "HOST", "a"], [2, "PORT", "80"], [3, "LEVEL", "info"])
  const base = environment(2, [4, "PORT", "81"])
  const heir = environment(3, [5, "LEVEL", "debug"], [6, "NEW", "x"])
  const inheritance = inheritanceOf(heir, [base, root])
  expect(inheritance.items.map(({ name, value }) => [name, value])).toEqual([
    ["PORT", "81"],
    ["HOST", "a"],
  ])
  expect(Array.from(inheritance.overridden.values(), ({ name, value }) => [name, value])).toEqual([["LEVEL", "info"]])
  expect(effectiveItems(heir, inheritance).map(({ name }) => name)).toEqual(["HOST", "PORT", "LEVEL", "NEW"])
})
