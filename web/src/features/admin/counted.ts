import type { Counters, DailyCount } from "@envkeep/contract"
import { dayMs } from "../../lib/durations.ts"
import { formatNumber } from "../../ui/counts.ts"
import type { ChartPoint } from "../../ui/LineChart.tsx"

export type Counter = Exclude<keyof Counters, "lastLoaded">

/** A counter over the last days, with the present as the last point. Days on which nothing was counted are left out. */
export function seriesOf(
  counter: Counter,
  days: number,
  { daily, now }: { daily: readonly DailyCount[]; now: Counters },
): ChartPoint[] {
  const today = now.lastLoaded.slice(0, 10)
  const firstDay = Date.parse(today) - (days - 1) * dayMs
  const at = (day: string) => (Date.parse(day) - firstDay) / ((days - 1) * dayMs)
  const earlier = daily.filter(({ day }) => day < today && Date.parse(day) >= firstDay)
  return [
    ...earlier.map((count) => ({ at: at(count.day), value: count[counter], label: dayInWords(count.day) })),
    { at: 1, value: now[counter], label: "now" },
  ]
}

/** How much a counter has changed since the first point, such as "+12". Undefined if there is no earlier point. */
export function changeIn(points: readonly ChartPoint[]): string | undefined {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined || points.length < 2) return undefined
  const change = last.value - first.value
  return change === 0 ? "No change" : `${change > 0 ? "+" : "−"}${formatNumber(Math.abs(change))}`
}

/** The first of the last days. */
export function firstDayOf(days: number, now: Counters): string {
  return dayInWords(new Date(Date.parse(now.lastLoaded.slice(0, 10)) - (days - 1) * dayMs).toISOString())
}

/** Days are those of UTC, as the server counts them. */
function dayInWords(iso: string): string {
  return new Date(iso).toLocaleDateString("en-US", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })
}
