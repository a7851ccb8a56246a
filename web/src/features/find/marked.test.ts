import { expect, test } from "vitest"
import { markedParts } from "./marked.ts"

const marked = (text: string, sought: string) =>
  markedParts(text, sought)
    .map(({ text: part, isMarked }) => (isMarked ? `[${part}]` : part))
    .join("")

test("what was searched for is marked, or each of its words", () => {
  expect(marked("STRIPE_KEY", "stripe")).toBe("[STRIPE]_KEY")
  expect(marked("STRIPE_KEY", "bill key stripe")).toBe("[STRIPE]_[KEY]")
  expect(marked("new relic", "NEW REL")).toBe("[new rel]ic")
  expect(marked("PORT", "")).toBe("PORT")
  expect(marked("İ_PORT", "port")).toBe("İ_PORT")
})
