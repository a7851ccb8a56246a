import { testOnce as test } from "@envkeep/testing/once.ts"
import { callerOf, loaded, rendered } from "@envkeep/testing/rendered.ts"
import { expect } from "vitest"
import { createLastKnown } from "./last-known.ts"

const fresh = (loadedAt: number) => ({ loadedAt, outdatedAt: undefined })

test("an answer counts as current while all changes are received, and ages from the first missed one on", () => {
  const lastKnown = createLastKnown(100_000)
  lastKnown.keep(loaded("key", rendered(1)), fresh(100))
  expect(lastKnown.find(callerOf("key"), "json", 50)?.lastCurrentAt).toBe(100)
  expect(lastKnown.find(callerOf("key"), "json", 700)?.lastCurrentAt).toBe(700)
  expect(lastKnown.find(callerOf("key"), "raw", 700)).toBeUndefined()

  lastKnown.mayHaveMissedChanges(800)
  lastKnown.mayHaveMissedChanges(2_000)
  expect(lastKnown.find(callerOf("key"), "json", 3_000)).toMatchObject({
    rendered: { revision: 1 },
    lastCurrentAt: 800,
  })
  lastKnown.keep(loaded("key", rendered(1, 2)), fresh(2_500))
  expect(lastKnown.find(callerOf("key"), "json", 3_000)).toMatchObject({
    rendered: { revision: 2 },
    lastCurrentAt: 3_000,
  })
})

test("a load that ends late does not replace one that started after it", () => {
  const lastKnown = createLastKnown(100_000)
  lastKnown.keep(loaded("key", rendered(1, 2)), fresh(200))
  lastKnown.keep(loaded("key", rendered(1, 1)), { loadedAt: 100, outdatedAt: 100 })
  expect(lastKnown.find(callerOf("key"), "json", 300)).toMatchObject({ rendered: { revision: 2 }, lastCurrentAt: 300 })
})

test("a changed environment keeps its last known answer, but a key that must be refused does not", () => {
  const lastKnown = createLastKnown(100_000)
  for (const key of ["one", "two"]) lastKnown.keep(loaded(key, rendered(1)), fresh(100))
  lastKnown.keep(loaded("three", rendered(2)), fresh(100))
  lastKnown.changed([{ environmentId: 1 }])
  expect(lastKnown.find(callerOf("one"), "json", Number.MAX_SAFE_INTEGER)?.lastCurrentAt).toBeLessThan(
    Number.MAX_SAFE_INTEGER,
  )

  lastKnown.changed([{ environmentId: 1, ends: { keyHash: "one" } }])
  expect(lastKnown.find(callerOf("one"), "json", 200)).toBeUndefined()
  expect(lastKnown.find(callerOf("two"), "json", 200)).toBeDefined()
  lastKnown.forgetKey("two")
  expect(lastKnown.find(callerOf("two"), "json", 200)).toBeUndefined()
  lastKnown.changed([{ collectionId: 20, ends: true }])
  expect(lastKnown.find(callerOf("three"), "json", 200)).toBeUndefined()
})

test("its size is limited: the answer loaded longest ago is dropped first, and a shared body counts once", () => {
  const lastKnown = createLastKnown(7_000)
  const shared = rendered(1, 1, 1_000)
  for (const key of ["a", "b", "c"]) lastKnown.keep(loaded(key, shared), fresh(1))
  lastKnown.keep(loaded("d", rendered(2, 1, 1_000)), fresh(2))
  for (const key of ["a", "b", "c", "d"]) expect(lastKnown.find(callerOf(key), "json", 0), key).toBeDefined()
  lastKnown.keep(loaded("e", rendered(3, 1, 1_000)), fresh(3))
  expect(lastKnown.find(callerOf("a"), "json", 0)).toBeUndefined()
  for (const key of ["d", "e"]) expect(lastKnown.find(callerOf(key), "json", 0), key).toBeDefined()
})

test("what was replaced or forgotten no longer counts", () => {
  const lastKnown = createLastKnown(7_000)
  const shared = rendered(1, 1, 1_000)
  lastKnown.keep(loaded("other", rendered(2, 1, 1_000)), fresh(1))
  for (let n = 0; n < 10; n++) {
    for (const key of ["a", "b"]) lastKnown.keep(loaded(key, shared), fresh(n + 1))
    lastKnown.keep(loaded("a", rendered(1, n + 2, 100)), fresh(n + 1))
    lastKnown.keep(loaded("c", shared), fresh(n + 1))
    for (const key of ["b", "c"]) lastKnown.forgetKey(key)
  }
  for (const key of ["a", "other"]) expect(lastKnown.find(callerOf(key), "json", 0), key).toBeDefined()
  lastKnown.keep(loaded("too large", rendered(1, 2, 10_000)), fresh(1))
  for (const key of ["a", "too large"]) expect(lastKnown.find(callerOf(key), "json", 0), key).toBeUndefined()
  expect(lastKnown.find(callerOf("other"), "json", 0)).toBeDefined()
})
