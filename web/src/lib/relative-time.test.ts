import { expect, test } from "vitest"
import { relativeTime } from "./relative-time.ts"

test.each([
  [-30, "just now"],
  [59, "just now"],
  [60, "1 minute ago"],
  [3 * 3_600 + 5, "3 hours ago"],
  [86_400, "yesterday"],
  [20 * 86_400, "2 weeks ago"],
  [400 * 86_400, "last year"],
])("%i seconds ago is %j", (seconds, words) => {
  const now = Date.UTC(2026, 0, 1)
  expect(relativeTime(new Date(now - seconds * 1_000).toISOString(), now)).toBe(words)
})
