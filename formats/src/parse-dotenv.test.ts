import { parse as dotenv } from "dotenv"
import fc from "fast-check"
import { expect, test } from "vitest"
import { parseDotenv } from "./parse-dotenv.ts"

const pieces = [
  ...[
    "A=",
    "B=",
    "export ",
    "C = ",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "'",
    '"',
    "`",
    "#",
    " #",
    " ",
    "\t",
    "=",
    "\\",
    "\\n",
    "\\r",
  ],
  ...[
    "x",
    "value",
    "two words",
    "$HOME",
    "\r",
    "\u00a0",
    "\u2028",
    "\ufeff",
    "é",
    "1",
    ":",
    ": ",
    "-",
    ".",
    "D='a b'\n",
  ],
]
const text = fc.array(fc.constantFrom(...pieces), { maxLength: 25 }).map((parts) => parts.join(""))

test("a file read without a complaint is what dotenv reads", () => {
  fc.assert(
    fc.property(text, (file) => {
      const { variables, faults } = parseDotenv(file)
      if (faults.length > 0) return
      const found = Object.fromEntries(variables.map(({ name, value }) => [name, value]))
      expect(found).toEqual(dotenv(file))
    }),
    { numRuns: 20_000 },
  )
})

test("the time to read a file grows with its length: a hundred thousand variables end before the test does", () => {
  const count = 100_000
  const file = Array.from({ length: count }, (_, at) => `NAME_${at}="line one\nline two"`).join("\n")
  expect(parseDotenv(file).variables).toHaveLength(count)
})
