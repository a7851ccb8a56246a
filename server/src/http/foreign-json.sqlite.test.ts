import fc from "fast-check"
import { expect, test } from "vitest"
import { parseForeignJson } from "./foreign-json.ts"

const manyParts = 60_000
const parse = (text: string, maxParts = manyParts) => parseForeignJson(Buffer.from(text), maxParts)

/** Longer than a piece, so that the text is cut at the next comma of the outermost list. */
const gap = " ".repeat(64 * 1024)

const elements = fc.array(
  fc.oneof(
    fc.json({ maxDepth: 2 }),
    fc.constantFrom(
      "",
      " ",
      "1",
      '"a,b"',
      '"\\\\"',
      '"\\",["',
      '"é🔑"',
      "{}",
      "[]",
      "[",
      "]",
      "}",
      '"',
      "{]",
      "01",
      "nul",
    ),
  ),
  { minLength: 1, maxLength: 5 },
)
const lists = fc.tuple(
  fc.constantFrom("[", " [", "", "{", "[["),
  elements,
  fc.constantFrom("]", "] ", "", "}", "]]", "],1", "]x"),
)

test("text is parsed and refused exactly as by JSON.parse, also where it is cut into pieces", async () => {
  await fc.assert(
    fc.asyncProperty(lists, fc.boolean(), async ([opening, inside, closing], isLong) => {
      const text = opening + inside.join(isLong ? `${gap},` : ",") + closing
      let expected: unknown
      try {
        expected = JSON.parse(text)
      } catch {
        await expect(parse(text)).rejects.toThrow(SyntaxError)
        return
      }
      expect(await parse(text)).toEqual(expected)
    }),
    { numRuns: 500 },
  )
})

test.each([
  ["brackets", "[".repeat(500_000), "at most 8 levels deep"],
  ["objects in each other", '{"a":'.repeat(9), "at most 8 levels deep"],
  ["empty objects", `[${"{},".repeat(500_000)}{}]`, "too many elements or fields"],
  ["numbers", `[${"1,".repeat(60_001)}1]`, "too many elements or fields"],
  ["one line with many fields", `[{${'"a":1,'.repeat(100)}"a":1}]`, "too many elements or fields"],
  ["one long text", `["${"x".repeat(513 * 1024)}"]`, "One element of the body can be at most 512 KiB"],
])("%s are refused before they are parsed, wherever the text ends", async (_, text, sentence) => {
  // Not JSON any more: a parser would say so.
  await expect(parse(`${text}]]x`)).rejects.toThrow(sentence)
})

test("what is within the bounds is parsed", async () => {
  const lines = Array.from({ length: 20_000 }, (_, n) => ({ name: `NAME_${n}`, value: "x" }))
  expect(await parse(JSON.stringify(lines))).toEqual(lines)
  expect(await parse("[[[[[[[[]]]]]]]]", 100)).toEqual([[[[[[[[]]]]]]]])
  const wide = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`field ${n}`, "[,]{}"]))
  expect(await parse(JSON.stringify(wide), 100)).toEqual(wide)
})
