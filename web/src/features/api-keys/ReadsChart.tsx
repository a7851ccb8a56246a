import type { ApiKeyUsage } from "@envkeep/contract"
import { counted } from "../../ui/counts.ts"

const [barWidth, gap, height] = [8, 2, 48]

/** The reads of each day as bars. */
export function ReadsChart({ days }: Pick<ApiKeyUsage, "days">) {
  const total = days.reduce((sum, { reads }) => sum + reads, 0)
  const most = Math.max(1, ...days.map(({ reads }) => reads))
  const busiest = days.find(({ reads }) => reads === most)
  if (total === 0) return <p className="key-reads">{`No reads within the last ${days.length} days`}</p>
  const summary = `${counted(total, "read")} within the last ${days.length} days${busiest === undefined ? "" : `, at most ${counted(most, "read")} on ${busiest.day}`}`
  return (
    <figure className="key-reads">
      <svg
        viewBox={`0 0 ${days.length * (barWidth + gap)} ${height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={summary}
      >
        {days.map(({ day, reads }, at) => {
          // A day with few reads is still seen.
          const bar = reads === 0 ? 1 : Math.max(3, (reads / most) * height)
          return (
            <rect
              key={day}
              className={reads === 0 ? "key-reads__none" : "key-reads__bar"}
              x={at * (barWidth + gap)}
              y={height - bar}
              width={barWidth}
              height={bar}
            >
              <title>{`${day}: ${counted(reads, "read")}`}</title>
            </rect>
          )
        })}
      </svg>
      <figcaption>{summary}</figcaption>
    </figure>
  )
}
