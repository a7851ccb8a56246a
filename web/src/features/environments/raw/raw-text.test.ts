import { expect, test } from "vitest"
import { keptOver, mergeRaw, rawText } from "./raw-text.ts"

const item = (name: string, value: string | null) => ({ id: 1, name, value, subCollectionId: 1, revision: 1 })

test("a value that does not fit on a line or into a text area is kept beside the text", () => {
  const { text, kept, damaged } = rawText([item("A", "1"), item("B", "x\ny"), item("C", "x\ry"), item("D", null)])
  expect(text).toBe("A=1\n")
  expect(kept.map(({ name }) => name)).toEqual(["B", "C"])
  expect(damaged).toEqual(["D"])
})

test("confirming an untouched text changes nothing", () => {
  const items = [item("A", "1=2 "), item("B", "x\ny"), item("C", "")]
  const { text, kept } = rawText(items)
  const after = Object.fromEntries(mergeRaw(text, kept).all.map(({ name, value }) => [name, value]))
  expect(after).toEqual({ A: "1=2 ", B: "x\ny", C: "" })
})

test("a line with the name of a kept item replaces it", () => {
  expect(mergeRaw("B=new", [{ name: "B", value: "x\ny" }]).all).toEqual([{ name: "B", value: "new" }])
})

test("items that did not fit are kept in their current state", () => {
  const before = rawText([item("A", "1"), item("B", "x\ny"), item("C", "x\ny")])
  expect(keptOver(before, [item("A", "2"), item("B", "short"), item("D", "p\nq")])).toEqual([
    { name: "B", value: "short" },
    { name: "D", value: "p\nq" },
  ])
})
