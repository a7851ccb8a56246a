import { eventually } from "@envkeep/testing/eventually.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect, vi } from "vitest"
import { type EventReader, EventReaders } from "./event-readers.ts"

/** Readers of topics, and which of them were looked up together. A lookup fails while `isAway`. */
function readersWithLookups() {
  const lookups: EventReader[][] = []
  const state = { isAway: false }
  const failed = Promise.withResolvers<unknown>()
  const readers = new EventReaders({
    bounds: { total: 10_000, perOwner: 10_000 },
    async update(told) {
      if (state.isAway) throw new Error("away")
      lookups.push(told)
    },
    warn: failed.resolve,
  })
  const add = (topic: number) => {
    let leave = () => {}
    const stream = {
      send: () => undefined,
      sendHeartbeat: () => undefined,
      end: () => undefined,
      cutOff: () => undefined,
      onClose: (release: () => void) => {
        leave = release
      },
    }
    readers.add({ topic, owner: "key", group: 1 }, () => stream)
    return { leave: () => leave() }
  }
  const sizes = () => lookups.map((told) => told.length)
  return { readers, add, state, failed: failed.promise, sizes, lookups }
}

test("a reader that comes is looked up without those that are there already, and a change is told to all", async () => {
  const { readers, add, sizes } = readersWithLookups()
  for (let n = 0; n < 1_200; n++) add(1)
  await vi.waitFor(() => expect(sizes().reduce((sum, size) => sum + size, 0)).toBe(1_200), eventually)
  expect(Math.max(...sizes())).toBeLessThanOrEqual(500)
  const before = sizes().length
  add(1)
  await vi.waitFor(() => expect(sizes().slice(before)).toEqual([1]), eventually)
  readers.check([1])
  await vi.waitFor(() => expect(sizes().slice(before)).toEqual([1, 1_201]), eventually)
})

test("a reader that comes during an outage is looked up after it, unless it has left", async () => {
  const { readers, add, state, failed, lookups } = readersWithLookups()
  state.isAway = true
  add(1)
  const other = add(2)
  await failed
  other.leave()
  state.isAway = false
  readers.check([])
  await vi.waitFor(() => expect(lookups.map((told) => told.map(({ topic }) => topic))).toEqual([[1]]), eventually)
})
