import { finished, loaded } from "@envkeep/testing/finished.ts"
import { expect, test } from "vitest"
import { createLastKnown } from "./last-known.ts"

const fresh = (loadedAt: number) => ({ loadedAt, outdatedAt: undefined })

test("an answer counts as current while all changes are received, and ages from the first missed one on", () => {
  const lastKnown = createLastKnown(100_000)
  lastKnown.keep(loaded("key", finished(1)), fresh(100))
  expect(lastKnown.find("key", "json", 50)?.rightAt).toBe(100)
  expect(lastKnown.find("key", "json", 700)?.rightAt).toBe(700)
  expect(lastKnown.find("key", "raw", 700)).toBeUndefined()

  lastKnown.missed(800)
  lastKnown.missed(2_000)
  expect(lastKnown.find("key", "json", 3_000)).toMatchObject({ finished: { revision: 1 }, rightAt: 800 })
  lastKnown.keep(loaded("key", finished(1, 2)), fresh(2_500))
  expect(lastKnown.find("key", "json", 3_000)).toMatchObject({ finished: { revision: 2 }, rightAt: 3_000 })
})

test("a load that ends late does not replace one that started after it", () => {
  const lastKnown = createLastKnown(100_000)
  lastKnown.keep(loaded("key", finished(1, 2)), fresh(200))
  lastKnown.keep(loaded("key", finished(1, 1)), { loadedAt: 100, outdatedAt: 100 })
  expect(lastKnown.find("key", "json", 300)).toMatchObject({ finished: { revision: 2 }, rightAt: 300 })
})

test("a changed environment keeps its last known answer, but a key that must be refused does not", () => {
  const lastKnown = createLastKnown(100_000)
  for (const key of ["one", "two"]) lastKnown.keep(loaded(key, finished(1)), fresh(100))
  lastKnown.keep(loaded("three", finished(2)), fresh(100))
  lastKnown.changed([{ environmentId: 1 }])
  expect(lastKnown.find("one", "json", Number.MAX_SAFE_INTEGER)?.rightAt).toBeLessThan(Number.MAX_SAFE_INTEGER)

  lastKnown.changed([{ environmentId: 1, ends: { keyHash: "one" } }])
  expect(lastKnown.find("one", "json", 200)).toBeUndefined()
  expect(lastKnown.find("two", "json", 200)).toBeDefined()
  lastKnown.refused("two")
  expect(lastKnown.find("two", "json", 200)).toBeUndefined()
  lastKnown.changed([{ collectionId: 20, ends: true }])
  expect(lastKnown.find("three", "json", 200)).toBeUndefined()
})

test("its size is limited: the answer loaded longest ago is dropped first, and a shared body counts once", () => {
  const lastKnown = createLastKnown(7_000)
  const shared = finished(1, 1, 1_000)
  for (const key of ["a", "b", "c"]) lastKnown.keep(loaded(key, shared), fresh(1))
  lastKnown.keep(loaded("d", finished(2, 1, 1_000)), fresh(2))
  for (const key of ["a", "b", "c", "d"]) expect(lastKnown.find(key, "json", 0), key).toBeDefined()
  lastKnown.keep(loaded("e", finished(3, 1, 1_000)), fresh(3))
  expect(lastKnown.find("a", "json", 0)).toBeUndefined()
  for (const key of ["d", "e"]) expect(lastKnown.find(key, "json", 0), key).toBeDefined()
})
