import { expect, test } from "vitest"
import { inWords } from "./format.ts"

test("counts are said as people read them, however many there are", () => {
  expect(inWords({})).toBe("nothing")
  expect(inWords({ user: 1 })).toBe("1 account")
  expect(inWords({ user: 1, item: 2_000 })).toBe("1 account and 2,000 items")
  expect(inWords({ user: 2, collection: 1, api_key: 0 })).toBe("2 accounts, 1 collection and 0 API keys")
})
