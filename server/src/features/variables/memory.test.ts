import { testOnce as test } from "@envkeep/testing/once.ts"
import { callerOf, loaded, rendered } from "@envkeep/testing/rendered.ts"
import { expect } from "vitest"
import { Memory } from "./memory.ts"
import type { Loaded } from "./rendered.ts"

/** A load that ends when `finish` is called. */
function slowLoad(result: Loaded) {
  const { promise, resolve } = Promise.withResolvers<Loaded>()
  return { load: () => promise, finish: () => resolve(result) }
}

test("a loaded environment is found until it changes", async () => {
  const memory = new Memory()
  await memory.load("key", async () => loaded("key", rendered(1)))
  await memory.load("other", async () => loaded("other", rendered(2)))
  expect(memory.find(callerOf("key"), "json")?.rendered).toMatchObject({ environmentId: 1 })
  expect(memory.find(callerOf("key"), "raw")).toBeUndefined()

  memory.changed([{ environmentId: 1 }])
  expect(memory.find(callerOf("key"), "json")).toBeUndefined()
  expect(memory.find(callerOf("other"), "json")?.rendered).toMatchObject({ environmentId: 2 })
  memory.changed([{ collectionId: 20 }])
  expect(memory.find(callerOf("other"), "json")).toBeUndefined()
})

test("reads at the same time share one load", async () => {
  const memory = new Memory()
  let loads = 0
  const slow = slowLoad(loaded("key", rendered(1)))
  const read = () =>
    memory.load("key", () => {
      loads++
      return slow.load()
    })
  const reads = [read(), read(), read()]
  slow.finish()
  await Promise.all(reads)
  expect(loads).toBe(1)
})

test("a load that started before a change is neither stored nor shared", async () => {
  const memory = new Memory()
  const old = slowLoad(loaded("key", rendered(1, 1)))
  const first = memory.load("key", old.load)
  memory.changed([{ environmentId: 1 }])
  const second = memory.load("key", async () => loaded("key", rendered(1, 2)))
  expect((await second).rendered.revision).toBe(2)
  old.finish()
  expect((await first).rendered.revision).toBe(1)
  expect(memory.find(callerOf("key"), "json")?.rendered.revision).toBe(2)
})

test("a load that a newer one has replaced is not stored if a change came after both", async () => {
  const memory = new Memory()
  const [old, newer] = [slowLoad(loaded("key", rendered(1, 1))), slowLoad(loaded("key", rendered(1, 2)))]
  const first = memory.load("key", old.load)
  // After this, the load can still be stored, but not be joined.
  memory.changed([{ environmentId: 2 }])
  const second = memory.load("key", newer.load)
  memory.changed([{ environmentId: 1 }])
  old.finish()
  newer.finish()
  await Promise.all([first, second])
  expect(memory.find(callerOf("key"), "json")).toBeUndefined()
})

test("what is older than a revision that was seen is not found, nor stored, nor shared", async () => {
  const memory = new Memory()
  await memory.load("key", async () => loaded("key", rendered(1, 2)))
  memory.sawRevision(1, 2)
  expect(memory.find(callerOf("key"), "json")?.rendered.revision).toBe(2)
  const old = slowLoad(loaded("other", rendered(1, 2)))
  const first = memory.load("other", old.load)
  memory.sawRevision(1, 3)
  expect(memory.find(callerOf("key"), "json")).toBeUndefined()
  const second = memory.load("other", async () => loaded("other", rendered(1, 3)))
  old.finish()
  await Promise.all([first, second])
  expect(memory.find(callerOf("other"), "json")?.rendered.revision).toBe(3)
})

test("a load that started before a revision was seen is not shared, even if the revision is in memory by then", async () => {
  const memory = new Memory()
  const old = slowLoad(loaded("other", rendered(1, 2)))
  const first = memory.load("other", old.load)
  await memory.load("key", async () => loaded("key", rendered(1, 3)))
  memory.sawRevision(1, 3)
  const second = memory.load("other", async () => loaded("other", rendered(1, 3)))
  old.finish()
  await first
  expect((await second).rendered.revision).toBe(3)
  expect(memory.find(callerOf("key"), "json")?.rendered.revision).toBe(3)
})

test("a change to another environment does not stop a load from being stored", async () => {
  const memory = new Memory()
  const slow = slowLoad(loaded("key", rendered(1)))
  const pending = memory.load("key", slow.load)
  memory.changed([{ environmentId: 2 }, { collectionId: 30 }])
  slow.finish()
  await pending
  expect(memory.find(callerOf("key"), "json")).toBeDefined()
})

test("after a missed change nothing is used any more, not even the loads that are running", async () => {
  const memory = new Memory()
  await memory.load("key", async () => loaded("key", rendered(1)))
  const slow = slowLoad(loaded("other", rendered(2)))
  const pending = memory.load("other", slow.load)
  memory.mayHaveMissedChanges(0)
  slow.finish()
  await pending
  expect(memory.find(callerOf("key"), "json")).toBeUndefined()
  expect(memory.find(callerOf("other"), "json")).toBeUndefined()
})

test("a failed load is not stored and can be retried", async () => {
  const memory = new Memory()
  await expect(memory.load("key", () => Promise.reject(new Error("away")))).rejects.toThrow("away")
  await memory.load("key", async () => loaded("key", rendered(1)))
  expect(memory.find(callerOf("key"), "json")).toBeDefined()
})

test("bytes are found for exactly their revision, by any key", async () => {
  const memory = new Memory()
  await memory.load("key", async () => loaded("key", rendered(1, 5)))
  expect(memory.findRevision(1, 5, "json")).toBeDefined()
  expect(memory.findRevision(1, 4, "json")).toBeUndefined()
  expect(memory.findRevision(1, 5, "raw")).toBeUndefined()
})

test("an environment is never stored in two formats of different revisions", async () => {
  const memory = new Memory()
  await memory.load("key", async () => loaded("key", rendered(1, 1)))
  await memory.load("key raw", async () => loaded("key", { ...rendered(1, 2), format: "raw" }))
  expect(memory.find(callerOf("key"), "json")).toBeUndefined()
  expect(memory.find(callerOf("key"), "raw")?.rendered.revision).toBe(2)
})

test("the memory is limited, and drops the least recently used environment first", async () => {
  const memory = new Memory(20_000)
  for (const id of [1, 2, 3, 4]) await memory.load(`key ${id}`, async () => loaded(`key ${id}`, rendered(id, 1, 1_500)))
  memory.find(callerOf("key 1"), "json")
  await memory.load("key 5", async () => loaded("key 5", rendered(5, 1, 1_500)))
  const kept = [1, 2, 3, 4, 5].filter((id) => memory.find(callerOf(`key ${id}`), "json") !== undefined)
  expect(kept).toEqual([1, 3, 4, 5])
  await memory.load("huge", async () => loaded("huge", rendered(9, 1, 2_000)))
  expect(memory.find(callerOf("huge"), "json")).toBeUndefined()
  // The fifth replaced one. An environment that is larger than a quarter of all is kept without its body, and replaces nothing.
  expect(memory.state()).toEqual({ environments: 5, bytes: 4 * 4_300 + 1_700, evictions: 1 })
  expect(memory.findRevision(9, 1, "json")).not.toHaveProperty("body")
})

test("after a missed change a body is found by its revision, also one that was loaded during it", async () => {
  const memory = new Memory()
  await memory.load("key", async () => loaded("key", rendered(1, 5)))
  const slow = slowLoad(loaded("other", rendered(2, 7)))
  const pending = memory.load("other", slow.load)
  memory.mayHaveMissedChanges(0)
  slow.finish()
  await pending
  expect(memory.find(callerOf("key"), "json")).toBeUndefined()
  expect(memory.find(callerOf("other"), "json")).toBeUndefined()
  expect(memory.findRevision(1, 5, "json")).toBeDefined()
  expect(memory.findRevision(2, 7, "json")).toBeDefined()

  // The key of a later revision is not served with the body of an earlier one.
  await memory.load("other", async () => loaded("other", rendered(2, 8)))
  const late = slowLoad({ ...loaded("other", { ...rendered(2, 7), format: "raw" }) })
  const lateRead = memory.load("late", late.load)
  memory.mayHaveMissedChanges(0)
  await memory.load("other", async () => loaded("other", rendered(2, 8)))
  late.finish()
  await lateRead
  expect(memory.find(callerOf("other"), "json")?.rendered.revision).toBe(8)
  expect(memory.find(callerOf("other"), "raw")).toBeUndefined()
})
