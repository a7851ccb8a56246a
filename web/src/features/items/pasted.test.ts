import { expect, test } from "vitest"
import { isExportable } from "./NameField.tsx"
import { looksLikeVariables, readLine, readPasted } from "./pasted.ts"

test("pasted lines are split into variables as a .env file is read, and the last of equal names wins", () => {
  expect(readPasted("# comment\r\nA=1\r\nexport B=\"two words\"\n\nA='3'")).toMatchObject({
    lineCount: 4,
    variables: [
      { name: "A", value: "3" },
      { name: "B", value: "two words" },
    ],
  })
})

test.each([
  ["a line that cannot be read", "A=1\nnot a variable"],
  ["JSON", '{\n"A": "1"\n}'],
  ["a name that cannot be stored", `A=1\n${"N".repeat(300)}=2`],
  ["more variables than fit into rows", Array.from({ length: 51 }, (_, n) => `N${n}=1`).join("\n")],
])("%s is not split, only imported", (_, text) => {
  expect(readPasted(text)).toMatchObject({ text, variables: [] })
})

test.each(["", "A=1", "A=1\n", "\n\nA=1\r\n"])("%j is one line, which every field takes", (text) => {
  expect(readPasted(text)).toBeUndefined()
})

test.each([
  ["A=1\nB=2", true],
  ["export A=1\n  B = 2", true],
  ["A=1\nsome text", false],
  ["-----BEGIN RSA PRIVATE KEY-----\nMIIEow==\nabcd==\n-----END RSA PRIVATE KEY-----", false],
  ['{\n  "a": "x=1"\n}', false],
])("whether %j looks like variables: %s", (text, expected) => {
  expect(looksLikeVariables(text)).toBe(expected)
})

test("a line with a name and a value is read, anything else is not", () => {
  expect(readLine("PORT=8080")).toEqual({ name: "PORT", value: "8080" })
  expect(readLine("PORT")).toBeUndefined()
  expect(readLine("A B=1")).toBeUndefined()
})

test.each([
  ["DATABASE_URL", true],
  ["_x1", true],
  ["1ST", false],
  ["a-b", false],
  ["a.b", false],
  ["ÜBER", false],
])("whether a shell can export %s: %s", (name, expected) => {
  expect(isExportable(name)).toBe(expected)
})
