import { expect, test } from "vitest"
import { fromEditor, toEditor } from "./line-breaks.ts"

test.each(["", "a", "a\nb", "a\r\nb\r\n"])("%j comes back as it was", (value) => {
  expect(fromEditor(toEditor(value), value)).toBe(value)
})

test("a new line in a value with Windows line breaks is one of them", () => {
  expect(fromEditor("a\nb\nc", "a\r\nb")).toBe("a\r\nb\r\nc")
})
