import fc from "fast-check"
import { expect, test } from "vitest"
import { type FormatName, formatNames, formats, type Variable } from "../index.ts"
import { detectSyntax, readImport, type Syntax } from "./index.ts"

const pieces = [
  ..."'\"`$!#\\;&|<>(){}[]=:,%@ \t\n\r\u00a0\u2028\ufeff",
  ...[
    "a",
    "n",
    "\\n",
    "\\'",
    '\\"',
    "\\$",
    "\\\\",
    "'\\''",
    "\r\n",
    "$" + "{HOME}",
    "$$",
    " #",
    "é",
    "😀",
    "---",
    "null",
    "NO",
    "A=1",
  ],
  ...["export ", "__proto__", "changeme", "postgres://db:5432/app", "-----BEGIN KEY-----", "-----END KEY-----"],
]
const value = fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((parts) => parts.join(""))
const name = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,12}$/) },
  { weight: 1, arbitrary: fc.constantFrom("__proto__", "constructor", "toString", "HOME", "1", "NO", "null", "a.b-c") },
)
const variables = fc.uniqueArray(fc.record({ name, value }), {
  selector: (variable) => variable.name,
  minLength: 1,
  maxLength: 20,
})

/** Values that look like another syntax: an assignment inside of a value, escapes of systemd, quotes of a shell. */
const examples: [Variable[]][] = [
  [
    [
      { name: "a", value: "\r\nA=1" },
      { name: "A", value: "" },
    ],
  ],
  [[{ name: "A", value: "'\\$" }]],
  [[{ name: "A", value: "$'\\\\" }]],
]

/** What is printed for one variable may mean another to dotenv, so these are read by the names of their files. */
const read = (format: FormatName, text: string): Syntax => {
  if (format === "raw") return "raw"
  return detectSyntax(text, `production${formats[format].fileEnding}`)
}

test.each(formatNames)("what is exported as %s is imported with the same bytes", async (format) => {
  await fc.assert(
    fc.asyncProperty(variables, async (list) => {
      const held = printable(format, list)
      const printed = formats[format].print(held)
      if ("refused" in printed || held.length === 0) return
      const { entries, faults, refusal } = await readImport(printed.text, read(format, printed.text))
      expect({ faults, refusal }).toEqual({ faults: [], refusal: undefined })
      const found = new Map(entries.map((entry) => [entry.name, entry.value]))
      expect(held.map((variable) => ({ name: variable.name, value: found.get(variable.name) }))).toEqual(held)
      expect(entries).toHaveLength(held.length)
    }),
    { numRuns: 100, examples },
  )
})

test("names of an object's prototype are names like any other", async () => {
  const { entries } = await readImport('{"__proto__": "a", "constructor": "b"}')
  expect(entries.map((entry) => entry.name)).toEqual(["__proto__", "constructor"])
  expect({}).not.toHaveProperty("polluted")
  await readImport('{"__proto__": {"polluted": "yes"}}')
  await readImport("__proto__:\n  polluted: yes\n<<: {polluted: yes}")
  expect({}).not.toHaveProperty("polluted")
})

function printable(format: FormatName, list: Variable[]): Variable[] {
  const first = formats[format].print(list)
  const refused = new Set("refused" in first ? first.refused.map((variable) => variable.name) : [])
  return list.filter((variable) => !refused.has(variable.name))
}
