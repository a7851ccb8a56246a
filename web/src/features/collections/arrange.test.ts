import { expect, test } from "vitest"
import { arrange } from "./arrange.ts"

const collection = (id: number, name: string, changedAt: string | null = null, environment = "production") => ({
  id,
  name,
  description: `about ${name}`,
  changedAt,
  role: "owner" as const,
  subCollections: [
    { id, name: environment, collectionId: id, revision: 1, itemCount: 0, isProtected: false, baseId: null },
  ],
})

const all = [
  collection(1, "shop-10", "2026-01-01T00:00:00.000Z"),
  collection(2, "Billing", "2026-03-01T00:00:00.000Z", "staging"),
  collection(3, "shop-9"),
]
const namesIn = (...arranged: Parameters<typeof arrange>) => arrange(...arranged).map(({ name }) => name)

test("names are sorted as people read them", () => {
  expect(namesIn(all, "", "name")).toEqual(["Billing", "shop-9", "shop-10"])
})

test("the last change comes first, and an unknown one last", () => {
  expect(namesIn(all, "", "last change")).toEqual(["Billing", "shop-10", "shop-9"])
})

test("the filter finds all its words in the name, the description and the environments", () => {
  expect(namesIn(all, "SHOP 10", "name")).toEqual(["shop-10"])
  expect(namesIn(all, "about", "name")).toHaveLength(3)
  expect(namesIn(all, "bill stag", "name")).toEqual(["Billing"])
  expect(namesIn(all, "bill produc", "name")).toEqual([])
})
