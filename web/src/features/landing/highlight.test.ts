import { expect, test } from "vitest"
import { highlight } from "./highlight.ts"
import { samples } from "./samples.ts"

test.each(samples("https://env.example.com"))("the tokens of '$title' add up to its code", ({ code, language }) => {
  expect(
    highlight(code, language)
      .map(({ text }) => text)
      .join(""),
  ).toBe(code)
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
