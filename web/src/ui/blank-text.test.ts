import { expect, test } from "vitest"
import { blankWords } from "./blank-text.ts"

test.each([
  [" ", "1 space"],
  ["   ", "3 spaces"],
  ["\t\t", "2 tabs"],
  ["\r\n\n", "2 line breaks"],
  [" \t\n", "3 invisible characters"],
  ["\u00a0", "1 invisible character"],
  ["\u200b\ufeff", "2 invisible characters"],
  ["", undefined],
  [" a ", undefined],
])("what %j shows as", (text, words) => {
  expect(blankWords(text)).toBe(words)
})
