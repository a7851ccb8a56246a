import { expect, test } from "vitest"
import { readFile } from "./import-file.ts"
import { planImport } from "./import-plan.ts"
import { detect, readText } from "./import-text.ts"

const item = (name: string, value: string | null) => ({ id: 1, name, value, subCollectionId: 1, revision: 1 })
const stored = [item("SAME", "1"), item("OLD", "2"), item("BAD", null), item("OTHER", "3")]

test("a merge keeps the items that are not in the text, a replacement removes them", () => {
  const incoming = readText("dotenv", "SAME=1\nOLD=new\nADDED=4")
  const merge = planImport(incoming, stored, "merge")
  expect(merge).toMatchObject({ removed: [], damaged: ["BAD"], unchanged: ["SAME"] })
  expect(merge.changed).toEqual([{ name: "OLD", before: "2", value: "new" }])
  expect(merge.result.map(({ name }) => name)).toEqual(["SAME", "OLD", "OTHER", "ADDED"])

  const replace = planImport(incoming, stored, "replace")
  expect(replace).toMatchObject({ removed: ["BAD", "OTHER"], damaged: [] })
  expect(replace.result.map(({ name }) => name)).toEqual(["SAME", "OLD", "ADDED"])
})

test("names are compared as they will be stored, and the last of equal names wins", () => {
  const { values, repeated } = readText("json", '{" A ": "first", "A": "last", "__proto__": "x"}')
  expect([...values]).toEqual([
    ["A", "last"],
    ["__proto__", "x"],
  ])
  expect(repeated).toEqual(["A"])
})

test("a refused variable has the message of the contract", () => {
  const { refused } = readText("json", JSON.stringify({ "": "x", "A=B": "x", C: "x".repeat(65_537), D: "\0" }))
  expect(refused).toEqual([
    { name: "", reason: "Name is required" },
    { name: "A=B", reason: "Name cannot contain an equals sign or a line break" },
    { name: "C", reason: "Value can be at most 64 KiB" },
    { name: "D", reason: expect.stringContaining("Value contains a NUL") },
  ])
})

test.each([
  [' \n{"A": "1"}', "json"],
  ['\ufeff{"A": "1"}', "json"],
  ["A={}", "dotenv"],
  ["", "dotenv"],
])("%j is read as %s", (text, format) => {
  expect(detect(text)).toBe(format)
})

test("a file in another encoding is refused, not guessed at", async () => {
  const latin1 = new File([new Uint8Array([65, 61, 0xe4])], "old.env")
  expect(await readFile([latin1])).toEqual({ refusal: "old.env is not a text file in UTF-8" })
  expect(await readFile([new File(["A=ä"], "new.env")])).toEqual({ name: "new.env", text: "A=ä" })
})
