import { expect, test } from "vitest"
import { type SavedChange, undoneWords } from "./undone-words.ts"

const words = (changes: SavedChange[], isSecret = false) => undoneWords(changes, () => isSecret)
const edit = (value: string | null, name = "PORT"): SavedChange => ({
  before: { name, value },
  after: { name, value: "9090" },
})

test("one edit is named with the value that it has again", () => {
  expect(words([edit("8080")])).toBe("PORT is 8080 again")
  expect(words([edit("")])).toBe("PORT is empty again")
})

test.each([
  ["it is secret", "8080", true],
  ["it is secret and was empty", "", true],
  ["it has several lines", "one\ntwo", false],
  ["it is long", "0".repeat(41), false],
  ["it shows nothing", "   ", false],
  ["it hides a character", "80\u202e80", false],
])("the value is not said if %s", (_, value, isSecret) => {
  expect(words([edit(value)], isSecret)).toBe("PORT is as it was")
})

test("a renamed and an added item are named", () => {
  const renamed = { before: { name: "PORT", value: "1" }, after: { name: "HTTP_PORT", value: "2" } }
  expect(words([renamed])).toBe("HTTP_PORT is called PORT again")
  expect(words([{ before: undefined, after: { name: "HOST", value: "1" } }])).toBe("HOST is gone again")
})

test("several are named, and many are counted", () => {
  const named = (...names: string[]) => words(names.map((name) => edit("1", name)))
  expect(named("A", "B")).toBe("A and B are as they were")
  expect(named("A", "B", "C", "D")).toBe("A, B, C and D are as they were")
  expect(named("A", "B", "C", "D", "E")).toBe("A, B, C and 2 others are as they were")
})
