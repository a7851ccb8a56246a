import { testOnce as test } from "@envkeep/testing/once.ts"
import fc from "fast-check"
import { expect } from "vitest"
import { fairShare } from "./tracker.ts"

test("all together have few enough, none loses to one with fewer, and no more room is left than there are owners", () => {
  const most = { total: 40, perOwner: 12 }
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 40 }), (sizes) => {
      const share = fairShare(sizes, most)
      const left = sizes.map((size) => Math.min(size, share))
      const wanted = sizes.map((size) => Math.min(size, most.perOwner))
      expect(share).toBeLessThanOrEqual(most.perOwner)
      expect(sum(left)).toBeLessThanOrEqual(most.total)
      expect(sum(left)).toBeGreaterThan(Math.min(sum(wanted), most.total) - sizes.length)
    }),
  )
})

test("each owner has one, also if there are more owners than places", () => {
  expect(fairShare([1, 1, 5, 1], { total: 3, perOwner: 2 })).toBe(1)
})

function sum(counts: readonly number[]): number {
  return counts.reduce((all, count) => all + count, 0)
}
