import type { About, Environment } from "@envkeep/contract"
import { expect, test } from "vitest"
import { cellOf, columnsOf, filters, groupsOf, missingIn, rowsOf } from "./grid.ts"
import { placeAfter } from "./moves.ts"
import { samenessOf } from "./sameness.ts"

function environment(
  id: number,
  values: Record<string, string | null>,
  more: Partial<Pick<Environment, "baseId" | "valuesHidden">> = {},
): Environment {
  const collectionItems = Object.entries(values).map(([name, value], at) => ({
    id: id * 100 + at,
    name,
    value,
    subCollectionId: id,
    revision: 1,
  }))
  return {
    id,
    name: `environment ${id}`,
    collectionId: 1,
    baseId: null,
    revision: 1,
    itemCount: collectionItems.length,
    isProtected: false,
    valuesHidden: false,
    apiKeys: [],
    collectionItems,
    ...more,
  }
}

const about = (name: string, more: Partial<About> = {}): About => ({
  name,
  description: "",
  isRequired: false,
  isSecret: true,
  kind: "text",
  choices: [],
  example: "",
  ...more,
})

const columns = (...environments: Environment[]) => [...columnsOf(environments).values()]

test("a cell says whether its value is missing, empty, hidden, damaged, inherited or an override", () => {
  const all = columns(
    environment(1, { A: "one", B: "", C: "base" }),
    environment(2, { C: "own", D: null }, { baseId: 1 }),
    environment(3, { A: null }, { valuesHidden: true }),
  )
  const cells = (name: string) => all.map((column) => cellOf(column, name))
  expect(cells("A").map(({ state }) => state)).toEqual(["value", "value", "hidden"])
  expect(cells("A").map(({ inheritedFrom }) => inheritedFrom)).toEqual([undefined, 1, undefined])
  expect(cells("B").map(({ state }) => state)).toEqual(["empty", "empty", "missing"])
  expect(cells("C").map(({ value, overrides }) => [value, overrides])).toEqual([
    ["base", false],
    ["own", true],
    [null, false],
  ])
  expect(cells("D").map(({ state }) => state)).toEqual(["missing", "damaged", "missing"])
})

test("filters find what is missing, required, different and of the wrong kind in the shown columns", () => {
  const abouts = new Map([
    ["PORT", about("PORT", { kind: "port" })],
    ["NEEDED", about("NEEDED", { isRequired: true })],
    ["OPTIONAL", about("OPTIONAL")],
  ])
  const all = columns(
    environment(1, { SAME: "x", OTHER: "x", PORT: "80", HIDDEN: "x" }),
    environment(2, { SAME: "x", OTHER: "y", PORT: "eighty", HIDDEN: null }),
  )
  const rows = rowsOf(all, abouts, ["ADDED"])
  const found = (filter: keyof typeof filters) => rows.filter(filters[filter].includes).map(({ name }) => name)
  expect(found("all")).toEqual(["ADDED", "HIDDEN", "NEEDED", "OTHER", "PORT", "SAME"])
  expect(found("missing")).toEqual(["ADDED", "NEEDED"])
  expect(found("required")).toEqual(["NEEDED"])
  // A value that is not known is neither the same nor different.
  expect(found("differs")).toEqual(["OTHER", "PORT"])
  expect(found("misfits")).toEqual(["PORT"])
  expect(all.map((column) => missingIn(column, rows))).toEqual([2, 2])
})

test("equal values of a row have the same letter, and words say with which environments", () => {
  const environments = [
    environment(1, { A: "x" }),
    environment(2, { A: "y" }),
    environment(3, { A: "x" }),
    environment(4, {}),
  ]
  const cells = columns(...environments).map((column) => cellOf(column, "A"))
  expect(groupsOf(cells)).toEqual([0, 1, 0, undefined])
  expect(samenessOf(cells, environments).map((one) => one && [one.letter, one.words])).toEqual([
    ["A", "same as environment 3"],
    ["B", "different from the others"],
    ["A", "same as environment 1"],
    undefined,
  ])
  // The only value of a row has nothing to be compared with.
  expect(groupsOf(cells.slice(1, 2))).toEqual([undefined])
  expect(samenessOf([...cells.slice(0, 1), ...cells.slice(2, 3)], environments).map((one) => one?.letter)).toEqual([
    undefined,
    undefined,
  ])
})

test("keys move within the grid and stop at its edges", () => {
  const size = { rows: 10, columns: 3, rowsPerPage: 4 }
  const after = (key: string, row: number, column: number, ctrlKey = false) => {
    const to = placeAfter({ key, ctrlKey }, { row, column }, size)
    return to && [to.row, to.column]
  }
  expect(after("ArrowUp", 0, 1)).toEqual([-1, 1])
  expect(after("ArrowUp", -1, 1)).toEqual([-1, 1])
  expect(after("ArrowDown", 9, 1)).toEqual([9, 1])
  expect(after("ArrowLeft", 2, 0)).toEqual([2, 0])
  expect(after("ArrowRight", 2, 3)).toEqual([2, 3])
  expect(after("PageDown", 3, 2)).toEqual([7, 2])
  expect(after("PageDown", 8, 2)).toEqual([9, 2])
  expect(after("PageUp", 3, 2)).toEqual([0, 2])
  expect(after("Home", 5, 2)).toEqual([5, 0])
  expect(after("End", 5, 2)).toEqual([5, 3])
  expect(after("Home", 5, 2, true)).toEqual([0, 0])
  expect(after("End", 5, 2, true)).toEqual([9, 3])
  expect(after("x", 5, 2)).toBeUndefined()
})
