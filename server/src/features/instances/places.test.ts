import { testOnce as test } from "@envkeep/testing/once.ts"
import fc from "fast-check"
import { expect } from "vitest"
import { createPlaces, type Placed } from "./places.ts"

const bounds = { total: 12, perOwner: 6 }

test("one of the owner with the most places gives way, and each owner has few enough", () => {
  const step = fc.record({
    keyHash: fc.constantFrom("a0", "a1", "b0", "b1", "c0", "d0", "e0"),
    program: fc.nat({ max: 9 }),
    what: fc.constantFrom("add", "add", "add", "saw", "spare", "remove", "owner"),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const owned = new Set<string>()
      const ownerOf = ({ keyHash }: Placed) => (owned.has(keyHash) ? keyHash.slice(0, 1) : keyHash)
      const lost: Placed[] = []
      const places = createPlaces<Placed>(bounds, (one) => lost.push(one))
      for (const { keyHash, program, what } of steps) {
        const id = `${keyHash} ${program}`
        const known = places.get(id)
        const before = new Set(places.all())
        lost.length = 0
        if (what === "add" && known === undefined) {
          const one = { id, keyHash }
          places.add(one)
          before.add(one)
          expect(places.get(id)).toBe(one)
        } else if (what === "owner" && [...places.all()].some((one) => one.keyHash === keyHash)) {
          owned.add(keyHash)
          places.setOwner(keyHash, keyHash.charCodeAt(0))
        } else if (known !== undefined && (what === "saw" || what === "spare")) places[what](known)
        else if (known !== undefined && what === "remove") {
          places.remove(known)
          before.delete(known)
        }
        const after = new Set(places.all())
        expect(new Set([...after, ...lost])).toEqual(before)
        const counts = countsOf(before, ownerOf)
        for (const one of lost) expect(counts.get(ownerOf(one))).toBe(Math.max(...counts.values()))
        expect(after.size).toBeLessThanOrEqual(bounds.total)
        for (const count of countsOf(after, ownerOf).values()) expect(count).toBeLessThanOrEqual(bounds.perOwner)
        // A key without a place is not remembered.
        for (const one of owned) if (![...places.all()].some(({ keyHash }) => keyHash === one)) owned.delete(one)
      }
    }),
  )
})

test("what can be spared gives way first, then what was not seen for the longest time", () => {
  const lost: string[] = []
  const places = createPlaces<Placed>({ total: 10, perOwner: 3 }, ({ id }) => lost.push(id))
  const [a, b, c] = [placed("a"), placed("b"), placed("c")]
  for (const one of [a, b, c]) places.add(one)
  places.saw(a)
  places.spare(c)
  for (const id of ["d", "e", "f"]) places.add(placed(id))
  expect(lost).toEqual(["c", "b", "a"])
})

function placed(id: string): Placed {
  return { id, keyHash: "key" }
}

function countsOf(places: Iterable<Placed>, ownerOf: (one: Placed) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const one of places) counts.set(ownerOf(one), (counts.get(ownerOf(one)) ?? 0) + 1)
  return counts
}
