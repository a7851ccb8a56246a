import { expect, test } from "vitest"
import { fromEditor, toEditor } from "./line-breaks.ts"

test.each(["", "a", "a\nb", "a\r\nb\r\n", "a\rb", "a\r\nb\nc"])("%j comes back unchanged", (value) => {
  expect(fromEditor(toEditor(value), value)).toBe(value)
})

test("a new line in a value with Windows line breaks gets a Windows line break", () => {
  expect(fromEditor("a\nb\nc", "a\r\nb")).toBe("a\r\nb\r\nc")
})
