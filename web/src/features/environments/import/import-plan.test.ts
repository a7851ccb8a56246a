import { detectSyntax } from "@envkeep/formats/import"
import { expect, test } from "vitest"
import { describedIn } from "./described.ts"
import { readFile } from "./import-file.ts"
import { planImport } from "./import-plan.ts"
import { incomingOf, noChoices, repairKey } from "./incoming.ts"
import { readText } from "./read-text.ts"

const where = { environmentName: "production", isProtected: false }
const readOf = (text: string) => readText({ text, syntax: detectSyntax(text), where })
const incomingFrom = async (text: string) => incomingOf(await readOf(text), noChoices)

const item = (name: string, value: string | null) => ({ id: 1, name, value, subCollectionId: 1, revision: 1 })
const stored = [item("SAME", "1"), item("OLD", "2"), item("BAD", null), item("OTHER", "3")]

test("a merge keeps the items that are not in the text, a replacement removes them", async () => {
  const incoming = await incomingFrom("SAME=1\nOLD=new\nADDED=4")
  const merge = planImport(incoming, stored, "merge")
  expect(merge).toMatchObject({ removed: [], damaged: ["BAD"], unchanged: ["SAME"] })
  expect(merge.changed).toEqual([{ name: "OLD", before: "2", value: "new" }])
  expect(merge.result.map(({ name }) => name)).toEqual(["SAME", "OLD", "OTHER", "ADDED"])

  const replace = planImport(incoming, stored, "replace")
  expect(replace).toMatchObject({ removed: ["BAD", "OTHER"], damaged: [] })
  expect(replace.result.map(({ name }) => name)).toEqual(["SAME", "OLD", "ADDED"])
})

test("names are compared as they will be stored, and the last of equal names wins", async () => {
  const { values, duplicates } = await incomingFrom('{" A ": "first",\n"A": "last", "__proto__": "x"}')
  expect([...values]).toEqual([
    ["A", "last"],
    ["__proto__", "x"],
  ])
  expect(duplicates).toMatchObject([{ name: "A", places: [{ line: 1 }, { line: 2 }], chosen: 1, isSame: false }])
})

test("of equal names the first, the last or the chosen one counts", async () => {
  const read = await readOf("A=1\nB=1\nA=2\nA=3\nB=2")
  const valuesWith = (choices: object) => Object.fromEntries(incomingOf(read, { ...noChoices, ...choices }).values)
  expect(valuesWith({})).toEqual({ A: "3", B: "2" })
  expect(valuesWith({ rule: "first" })).toEqual({ A: "1", B: "1" })
  expect(valuesWith({ rule: "each", picked: new Map([["A", 1]]) })).toEqual({ A: "2", B: "2" })
})

test("repairs change values or leave variables out, and one part is imported alone", async () => {
  const text = 'services:\n  web:\n    environment: ["A= x ", "KEY=changeme"]\n  db:\n    environment: ["A=y"]'
  const read = await readOf(text)
  const repairs = new Set(
    read.findings.flatMap(({ kind, at }) => (read.entries[at] ? [repairKey(kind, read.entries[at])] : [])),
  )
  expect([...incomingOf(read, { ...noChoices, from: "service web" }).values]).toEqual([
    ["A", " x "],
    ["KEY", "changeme"],
  ])
  expect([...incomingOf(read, { ...noChoices, from: "service web", repairs }).values]).toEqual([["A", "x"]])
  expect([...incomingOf(read, { ...noChoices, from: "service db", repairs }).values]).toEqual([["A", "y"]])
})

test("a refused variable has the message of the contract", async () => {
  const { refused } = await incomingFrom(JSON.stringify({ "": "x", "A=B": "x", C: "x".repeat(65_537), D: "\0" }))
  expect(refused).toEqual([
    { name: "", reason: "Name is required" },
    { name: "A=B", reason: "Name cannot contain an equals sign or a line break" },
    { name: "C", reason: "Value can be at most 64 KiB" },
    { name: "D", reason: expect.stringContaining("Value contains a NUL") },
  ])
})

test("a file in another encoding is refused, not guessed at", async () => {
  const latin1 = new File([new Uint8Array([65, 61, 0xe4])], "old.env")
  expect(await readFile([latin1])).toEqual({ refusal: "old.env is not a text file in UTF-8" })
  expect(await readFile([new File(["A=ä"], "new.env")])).toEqual({ name: "new.env", text: "A=ä" })
  const powerShell = new File([new Uint8Array([0xff, 0xfe, 65, 0, 61, 0, 0xe4, 0])], "heroku.env")
  expect(await readFile([powerShell])).toEqual({ name: "heroku.env", text: "A=ä" })
  const bigEndian = new File([new Uint8Array([0xfe, 0xff, 0, 65, 0, 61, 0, 0xe4])], "notepad.env")
  expect(await readFile([bigEndian])).toEqual({ name: "notepad.env", text: "A=ä" })
  const withoutMark = new File([new Uint8Array([65, 0, 61, 0, 0xe4, 0])], "unmarked.env")
  expect(await readFile([withoutMark])).toEqual({ refusal: "unmarked.env is not a text file in UTF-8" })
})

test("comments describe names, each once and under the name that is stored", async () => {
  const read = await readOf("# Where it listens\n# @type=port\nPORT=3000\n\nPORT=4000\nA=\n")
  expect(describedIn(read, undefined)).toEqual([
    { name: "PORT", description: "Where it listens", kind: "port", example: "4000" },
    { name: "A" },
  ])
  const listed = await readOf('[{"key": " A ", "value": "1", "comment": "Note"}, {"key": "B=C", "value": "2"}]')
  expect(describedIn(listed, undefined)).toEqual([{ name: "A", description: "Note", example: "1" }])
})
