import { expect, test } from "vitest"
import { sizeInWords } from "./size.ts"

test.each([
  [0, "0 B"],
  [999, "999 B"],
  [1_000, "1 kB"],
  [1_540, "1.5 kB"],
  [15_400, "15 kB"],
  [999_999, "1 MB"],
  [2_345_678_901, "2.3 GB"],
  [5e15, "5,000 TB"],
])("%d bytes are %s", (bytes, words) => {
  expect(sizeInWords(bytes)).toBe(words)
})
