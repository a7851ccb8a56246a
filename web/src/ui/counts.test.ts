import { expect, test } from "vitest"
import { counted, formatNumber, plural } from "./counts.ts"

test("a count comes with its word, and large numbers with separators", () => {
  expect([0, 1, 2, 1_234].map((count) => counted(count, "item"))).toEqual([
    "0 items",
    "1 item",
    "2 items",
    "1,234 items",
  ])
  expect([1, 2].map((count) => counted(count, "person", "people"))).toEqual(["1 person", "2 people"])
  expect([0, 1, 21].map((count) => plural(count, "is", "are"))).toEqual(["are", "is", "are"])
  expect(formatNumber(1_234_567)).toBe("1,234,567")
})
