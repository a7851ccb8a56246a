import { countedDays } from "@envkeep/contract"
import { NativeSelect, Text } from "@mantine/core"
import { useState } from "react"
import { formatNumber } from "../../ui/counts.ts"
import { type ChartPoint, LineChart } from "../../ui/LineChart.tsx"
import { LoadFailed } from "../../ui/LoadFailed.tsx"
import { Spinner } from "../../ui/Spinner.tsx"
import { type Counter, changeIn, firstDayOf, seriesOf } from "./counted.ts"
import { type CountedDays, useCounters, useDailyCounts } from "./queries.ts"

/** A counter, and its course over the last days. */
export function CountSection({ title, counter }: { title: string; counter: Counter }) {
  const [days, setDays] = useState<CountedDays>(30)
  const counters = useCounters()
  const daily = useDailyCounts(days)
  if (counters.data === undefined || daily.data === undefined) {
    const error = counters.error ?? daily.error
    const retry = () => void Promise.all([counters.refetch(), daily.refetch()])
    return (
      <section className="card card--padded" aria-label={`${title} over time`}>
        {error === null ? (
          <Spinner />
        ) : (
          <LoadFailed title="The counts could not be loaded" message={error.message} onRetry={retry} />
        )}
      </section>
    )
  }
  const now = counters.data
  const points = seriesOf(counter, days, { daily: daily.data, now })
  const change = changeIn(points)
  return (
    <section className="card card--padded" aria-label={`${title} over time`}>
      <div className="count-head">
        <div>
          <p className="count-head__count">{formatNumber(now[counter])}</p>
          <Text size="sm" c="dimmed">
            {change === undefined
              ? "Counted once a day. The line begins with the second day."
              : `${change} in ${days} days`}
          </Text>
        </div>
        <NativeSelect
          aria-label="Period"
          data={countedDays.map((one) => ({ value: String(one), label: `Last ${one} days` }))}
          value={String(days)}
          onChange={({ currentTarget }) =>
            setDays(countedDays.find((one) => String(one) === currentTarget.value) ?? days)
          }
        />
      </div>
      <LineChart summary={inWords(title, points)} points={points} ends={[firstDayOf(days, now), "Today"]} />
    </section>
  )
}

function inWords(title: string, points: readonly ChartPoint[]): string {
  const first = points[0]
  const values = points.map(({ value }) => value)
  if (first === undefined || points.length === 1) return `${title}: ${formatNumber(values[0] ?? 0)} now`
  const range = `lowest ${formatNumber(Math.min(...values))}, highest ${formatNumber(Math.max(...values))}`
  return `${title}: ${formatNumber(first.value)} on ${first.label}, ${formatNumber(values.at(-1) ?? 0)} now, ${range}`
}
