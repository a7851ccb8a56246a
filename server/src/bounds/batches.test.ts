import { expect, test } from "vitest"
import { batches } from "./batches.ts"

test("a list is cut by the number of its elements and by their size, and keeps its order", () => {
  expect([...batches([], { maxCount: 2 })]).toEqual([])
  expect([...batches([1, 2, 3, 4, 5], { maxCount: 2 })]).toEqual([[1, 2], [3, 4], [5]])
  const bySize = { maxCount: 3, maxSize: 10, sizeOf: (text: string) => text.length }
  const long = "longer than all of it"
  expect([...batches(["12345", "67890", "1", long, "", "1", "2", "3"], bySize)]).toEqual([
    ["12345", "67890"],
    ["1"],
    [long],
    ["", "1", "2"],
    ["3"],
  ])
})
