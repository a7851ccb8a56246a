import { expect, test } from "vitest"
import { restorableFor, timeLeft } from "./time-left.ts"

const dayMs = 86_400_000

test("the time left is in whole days, and never negative", () => {
  const now = Date.parse("2026-03-01T12:00:00Z")
  const inDays = (days: number) => timeLeft(new Date(now + days * dayMs).toISOString(), now)
  expect(inDays(30)).toBe("deleted forever in 30 days")
  expect(inDays(22.2)).toBe("deleted forever in 23 days")
  expect(inDays(0.5)).toBe("deleted forever in less than a day")
  expect(inDays(-1)).toBe("deleted forever within the hour")
  expect(timeLeft(null, now)).toBe("kept until you delete it")
})

test("a server that keeps the trash names no number of days", () => {
  expect(restorableFor(30)).toBe("It can be restored from there for 30 days.")
  expect(restorableFor(1)).toBe("It can be restored from there for a day.")
  expect(restorableFor(null)).toBe("It can be restored from there.")
})
