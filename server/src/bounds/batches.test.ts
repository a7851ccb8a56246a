import { countTurns } from "@envkeep/testing/count-turns.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect } from "vitest"
import { batches, inBatches, pagesFrom, readBatches } from "./batches.ts"

const stored = [1, 2, 3, 4, 5, 6]

function reader(perBatch: number) {
  const after: (number | undefined)[] = []
  const read = async (last: number | undefined) => {
    after.push(last)
    return stored.filter((row) => row > (last ?? 0)).slice(0, perBatch)
  }
  return { after, read }
}

async function all<Element>(elements: AsyncIterable<Element>): Promise<Element[]> {
  const found: Element[] = []
  for await (const element of elements) found.push(element)
  return found
}

test("rows are read in batches until one is not full", async () => {
  const { after, read } = reader(4)
  expect(await all(readBatches(4, read))).toEqual([
    [1, 2, 3, 4],
    [5, 6],
  ])
  expect(after).toEqual([undefined, 4])
})

test("after a full last batch comes an empty one", async () => {
  const { after, read } = reader(3)
  expect(await inBatches(3, read)).toEqual(stored)
  expect(after).toEqual([undefined, 3, 6])
})

test("between two batches others get a turn, and a reader that stops reads no more", async () => {
  const turn = countTurns()
  const { after, read } = reader(1)
  const ranIn: number[] = []
  for await (const [row = 0] of readBatches(1, read)) {
    ranIn.push(turn())
    if (row === 4) break
  }
  expect(new Set(ranIn).size).toBe(4)
  expect(after).toEqual([undefined, 1, 2, 3])
})

test("pages follow each other until one says that it is the last", async () => {
  const pages = pagesFrom(10, async (place) => ({ place, next: place > 30 ? null : place + 10 }))
  expect((await all(pages)).map(({ place }) => place)).toEqual([10, 20, 30, 40])
})

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
