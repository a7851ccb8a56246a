import type { Environment } from "@envkeep/contract"
import { expect, test } from "vitest"
import { columnsOf, type Row } from "./grid.ts"
import { keyAction, type Stroke } from "./grid-keys.ts"
import { placeOf } from "./moves.ts"

const item = { id: 7, name: "PORT", value: "8080", subCollectionId: 1, revision: 1 }
const environment: Environment = {
  id: 1,
  name: "production",
  collectionId: 1,
  revision: 1,
  itemCount: 1,
  isProtected: false,
  baseId: null,
  valuesHidden: false,
  collectionItems: [item],
  apiKeys: [],
}
const columns = [...columnsOf([environment]).values()]
const row = { name: "PORT" } as Row
const stroke = (key: string, held: Partial<Stroke> = {}) => ({ key, ctrlKey: false, shiftKey: false, ...held })
const cell = { row, column: columns[0] }

test("a key acts on the cell that is active, for an editor", () => {
  const press = (key: string, held?: Partial<Stroke>) => keyAction(stroke(key, held), { ...cell, role: "editor" })

  expect(press("Enter")).toEqual({ does: "edit" })
  expect(press("F2")).toEqual({ does: "edit" })
  expect(press("F10", { shiftKey: true })).toEqual({ does: "openMenu" })
  expect(press(" ")).toEqual({ does: "revealCell", name: "PORT", environment })
  expect(press(" ", { shiftKey: true })).toEqual({ does: "revealRow", name: "PORT" })
  expect(press("Delete")).toMatchObject({ does: "remove", environment, cell: { item } })
  expect(press("c", { ctrlKey: true })).toEqual({ does: "copy", text: "8080" })
  expect(press("H")).toEqual({ does: "showHistory", name: "PORT", environment })
  expect(press("h", { ctrlKey: true })).toBeUndefined()
  expect(press("c")).toBeUndefined()
})

test("for a reader, Enter opens the menu instead of the editor, and Delete does nothing", () => {
  const press = (key: string) => keyAction(stroke(key), { ...cell, role: "reader" })

  expect(press("Enter")).toEqual({ does: "openMenu" })
  expect(press("Delete")).toBeUndefined()
})

test("the column with the names selects and copies names", () => {
  const press = (key: string, held?: Partial<Stroke>) =>
    keyAction(stroke(key, held), { row, column: undefined, role: "editor" })

  expect(press(" ", { shiftKey: true })).toEqual({ does: "select", name: "PORT", extend: true })
  expect(press("Enter")).toEqual({ does: "openMenu" })
  expect(press("c", { ctrlKey: true })).toEqual({ does: "copy", text: "PORT" })
  expect(press("Delete")).toBeUndefined()
})

test("the head opens the menu of an environment, and its corner selects all names", () => {
  const press = (key: string, column = columns[0]) => keyAction(stroke(key), { row: undefined, column, role: "editor" })

  expect(press("Enter")).toEqual({ does: "openMenu" })
  expect(press(" ")).toBeUndefined()
  expect(keyAction(stroke(" "), { row: undefined, column: undefined, role: "editor" })).toEqual({ does: "selectAll" })
  expect(keyAction(stroke("Enter"), { row: undefined, column: undefined, role: "editor" })).toBeUndefined()
})

test("the active cell is found again by what it shows, and otherwise at its last place", () => {
  const shown = { indexes: new Map([["PORT", 4]]), columns, last: { row: 9, column: 3 } }

  expect(placeOf({ name: "PORT", environmentId: 1 }, shown)).toEqual({ row: 4, column: 1 })
  expect(placeOf({ name: undefined, environmentId: undefined }, shown)).toEqual({ row: -1, column: 0 })
  expect(placeOf({ name: "GONE", environmentId: 2 }, shown)).toEqual({ row: 0, column: 1 })
})
