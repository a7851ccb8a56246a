import type { Counters, DailyCount } from "@envkeep/contract"
import { expect, test } from "vitest"
import { changeIn, firstDayOf, seriesOf } from "./counted.ts"

const counts = { productsCount: 0, collectionsCount: 0, environmentsCount: 0, itemsCount: 0, subscriptionsCount: 0 }
const now: Counters = { lastLoaded: "2026-03-30T23:59:00.000Z", ...counts, usersCount: 7 }
const daily = (day: string, usersCount: number): DailyCount => ({ day, ...counts, usersCount })

test("a series ends with the present, in place of what was counted earlier that day", () => {
  const counted = [daily("2026-02-28", 1), daily("2026-03-01", 3), daily("2026-03-15", 9), daily("2026-03-30", 8)]
  const points = seriesOf("usersCount", 30, { daily: counted, now })
  expect(points).toEqual([
    { at: 0, value: 3, label: "Mar 1, 2026" },
    { at: 14 / 29, value: 9, label: "Mar 15, 2026" },
    { at: 1, value: 7, label: "now" },
  ])
  expect(changeIn(points)).toBe("+4")
  expect(changeIn(points.slice(1))).toBe("−2")
  expect(changeIn(points.slice(2))).toBeUndefined()
  expect(firstDayOf(30, now)).toBe("Mar 1, 2026")
})
