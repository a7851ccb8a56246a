import { expect, test } from "vitest"
import { harmless, hasCharacters, name, shown } from "./text.ts"

const refusal = "Name cannot contain control characters, or characters that change the direction of text"

const messageOf = (text: string) => name("Name is required").safeParse(text).error?.issues[0]?.message

test.each(["a\u001b[2J", "a\u0007b", "a\nb", "a\tb", "a\u007f", "\u009b31ma", "a\u202eb", "a\u2066b", "a\u200fb"])(
  "the name %j is refused",
  (text) => {
    expect(messageOf(text)).toBe(refusal)
  },
)

test.each([
  "żółw 🐢",
  "👨‍👩‍👧 family",
  "🏳️‍🌈",
  "שלום",
  "سلام",
  "می‌خواهم",
  "क्‍ष",
  "e\u0301",
  "a\u2028b",
  "--; drop table",
])("the name %j is taken as it is", (text) => {
  expect(name("Name is required").parse(text)).toBe(text)
  expect(harmless(text)).toBe(text)
})

test("what is stored already is shown with a mark in place of each such character", () => {
  expect(shown.parse("a\u001b[2J\u202eb")).toBe("a\ufffd[2J\ufffdb")
})

test("other refusals come first", () => {
  expect(messageOf("\n")).toBe("Name is required")
  expect(messageOf("a\0")).toMatch(/NUL/)
})

test.each([
  ["12345678", true],
  ["1234567", false],
  ["e\u0301".repeat(7), false],
  ["e\u0301".repeat(8), true],
  ["👨‍👩‍👧".repeat(7), false],
  ["🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈🏳️‍🌈", true],
  [`a${"\u0301".repeat(200)}`, false],
  ["", false],
])("people count eight characters in %j: %s", (text, isEnough) => {
  expect(hasCharacters(text, 8)).toBe(isEnough)
})
