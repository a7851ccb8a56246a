import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterAll, expect, test } from "vitest"
import { type Consumer, programs, quickConsumers } from "../consumers/index.ts"
import { formats, type Variable } from "./index.ts"

// Hostile names and values are printed, and the real readers must read back exactly the same.

const folder = mkdtempSync(join(tmpdir(), "envkeep-hostile-"))
const trace = join(folder, "code-was-run")
const command = `$(touch ${trace})`

const pieces = [
  ..."'\"`$!#\\;&|<>*?~(){}[]=:,%@ \t\n\r\v\f\u0001\u0007\u001b\u007f\u0085\u00a0\u2028\u2029\ufeff\ufffd\uffff",
  ...[
    "a",
    "n",
    "r",
    "\\n",
    "\\r",
    "\\'",
    '\\"',
    "'\\''",
    "\r\n",
    "\n\n",
    "$" + "{HOME}",
    "$$",
    "%s",
    "#!",
    " #",
    "\\\n",
  ],
  ...[
    "é",
    "漢",
    "😀",
    "e\u0301",
    "\u202e",
    "\ufdd0",
    "---",
    "null",
    "NO",
    "A=1",
    "\nB=2",
    "export ",
    "EOF",
    "__proto__",
  ],
  ...[
    command,
    `\`touch ${trace}\``,
    `a[${command}]`,
    `'; touch ${trace}; '`,
    `"; touch ${trace}; "`,
    `\ntouch ${trace}\n`,
  ],
]
const value = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join("")) },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
  { weight: 1, arbitrary: fc.string({ maxLength: 30 }) },
)
const special = [
  "RANDOM",
  "OPTIND",
  "HISTCMD",
  "SECONDS",
  "UID",
  "PS4",
  "PROMPT_COMMAND",
  "BASH_ENV",
  "ENV",
  "IFS",
  "PATH",
]
const name = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/) },
  { weight: 1, arbitrary: fc.constantFrom(...special, "__proto__", "constructor", "HOME", "1", "NO", "null", "a.b-c") },
  { weight: 1, arbitrary: value.map((text) => text.trim()) },
)
const variables = fc.uniqueArray(fc.record({ name, value }), { selector: (variable) => variable.name, maxLength: 40 })

afterAll(() => rmSync(folder, { recursive: true }))

test.each(quickConsumers)("$name reads back exactly what was printed", (consumer) => {
  fc.assert(
    fc.property(variables, (list) => readsBack(consumer, list)),
    { numRuns: 300 },
  )
})

test.each(programs)("$name reads back exactly what was printed, and runs none of it", (consumer) => {
  fc.assert(
    fc.property(variables, (list) => readsBack(consumer, list)),
    { numRuns: 25 },
  )
  expect(existsSync(trace)).toBe(false)
})

const longest = "'\n\\\"`$é".repeat(6_553)

test.each([...quickConsumers, ...programs])("$name reads back a value of 64 KiB", (consumer) => {
  const list = [
    { name: "LONG", value: longest },
    { name: "LONG_LINE", value: "x".repeat(65_000) },
    { name: "QUOTED_LINES", value: "it's\n".repeat(13_000) },
    { name: "AFTER", value: "it's 'here'" },
  ]
  readsBack(consumer, list)
})

test("every kind of program took part", () => {
  const names = programs.map((consumer) => consumer.name).join("; ")
  for (const kind of [/Node v24/, /sh, by source/, /bash, by eval/, /dash, by source/]) expect(names).toMatch(kind)
  expect(programs.filter((consumer) => consumer.name.startsWith("node")).length).toBeGreaterThan(1)
})

/** Leaves out what the format refuses. All the rest must then be printed and come back. */
function readsBack(consumer: Consumer, list: Variable[]): void {
  const { print } = formats[consumer.format]
  const first = print(list)
  const refused = new Set("refused" in first ? first.refused.map((variable) => variable.name) : [])
  const held = list.filter((variable) => !refused.has(variable.name))
  const printed = print(held)
  if ("refused" in printed) throw new Error(`refused only the second time: ${JSON.stringify(printed.refused)}`)
  const found = consumer.read(printed.text)
  expect(held.map((variable) => ({ name: variable.name, value: found.get(variable.name) }))).toEqual(held)
}
