import type { Item } from "@envkeep/contract"
import { expect, test } from "vitest"
import { listedItems, rowAfter } from "./listed-items.ts"

const itemOf = (id: number, name: string): Item => ({ id, name, value: "", subCollectionId: 1, revision: 1 })
const items = [itemOf(1, "PORT"), itemOf(2, "HOST"), itemOf(3, "SMTP_PORT")]

test("a filter lists the names that contain it and every row with an unsaved edit, which it does not count", () => {
  const listed = (search: string, unsaved: number[] = []) => {
    const { rows, found } = listedItems(items, {
      search,
      nameOf: ({ name }) => name,
      isUnsaved: ({ id }) => unsaved.includes(id),
    })
    return { ids: rows.map(({ id }) => id), found }
  }

  expect(listed("")).toEqual({ ids: [1, 2, 3], found: 3 })
  expect(listed("port")).toEqual({ ids: [1, 3], found: 2 })
  expect(listed("port", [2, 3])).toEqual({ ids: [1, 2, 3], found: 2 })
})

test("a renamed row is found by the name that it shows", () => {
  const nameOf = (item: Item) => (item.id === 2 ? "ADDRESS" : item.name)

  expect(listedItems(items, { search: "addr", nameOf, isUnsaved: () => false }).rows).toEqual([items[1]])
})

test("the focus goes from a row that is deleted to the next one, and after the last one to where items are added", () => {
  expect(rowAfter(items, itemOf(1, "PORT"))).toBe(2)
  expect(rowAfter(items, itemOf(3, "SMTP_PORT"))).toBe("add")
})
