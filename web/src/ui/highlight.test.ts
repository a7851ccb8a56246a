import { expect, test } from "vitest"
import { highlight } from "./highlight.ts"

test.each([
  ["ts", 'import { load } from "envkeep" // comment\nconst env = await load()'],
  ["sh", '# comment\n export A=1 B="2"\nnpx --yes envkeep run -- node app.js'],
  ["py", 'import os # comment\nprint(f"{len(os.environ)} variables")'],
  ["yaml", 'on: push\njobs:\n  - run: npx "x" # comment\n    A_B: c'],
] as const)("the tokens of %s add up to the code", (language, code) => {
  const tokens = highlight(code, language)
  expect(tokens.map(({ text }) => text).join("")).toBe(code)
  expect(new Set(tokens.map(({ kind }) => kind))).toContain("keyword")
})

test("strings, keywords and calls are separate tokens", () => {
  expect(highlight('await load("x")', "ts")).toEqual([
    { kind: "keyword", text: "await" },
    { kind: "plain", text: " " },
    { kind: "call", text: "load" },
    { kind: "plain", text: "(" },
    { kind: "string", text: '"x"' },
    { kind: "plain", text: ")" },
  ])
})

test("a secret is one token, also if it ends like an assignment", () => {
  const secret = "whsec_Zm9v+AB="
  expect(highlight(secret, "text")).toEqual([{ kind: "plain", text: secret }])
})
