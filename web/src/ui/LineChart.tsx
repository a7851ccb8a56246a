import { type PointerEvent, useState } from "react"
import { formatNumber } from "./counts.ts"
import "./chart.css"

export interface ChartPoint {
  /** From 0, at the left end, to 1. */
  at: number
  value: number
  /** What the point is called, such as its day. */
  label: string
}

interface LineChartProps {
  /** What a screen reader says instead of the picture. */
  summary: string
  points: readonly ChartPoint[]
  /** Below the left and the right end. */
  ends: readonly [string, string]
}

/** The drawing has its own units and is stretched to the space there is. Text is beside it, so it is not stretched. */
const [width, height] = [1_000, 240]

/** A line over time. Pointing at it shows the nearest value. */
export function LineChart({ summary, points, ends }: LineChartProps) {
  const [pointed, setPointed] = useState<ChartPoint>()
  const top = roundedUp(Math.max(...points.map(({ value }) => value)))
  const line = points.map(({ at, value }) => [at * width, height - (value / top) * height] as const)

  function point({ currentTarget, clientX }: PointerEvent<HTMLElement>) {
    const { left, width: shownWidth } = currentTarget.getBoundingClientRect()
    const at = (clientX - left) / shownWidth
    setPointed(points.toSorted((one, other) => Math.abs(one.at - at) - Math.abs(other.at - at))[0])
  }
  const last = points.at(-1)
  const marked = pointed ?? last
  return (
    <figure className="chart" aria-label={summary} role="img">
      <div className="chart__scale">
        {[top, top / 2, 0].map((value) => (
          <span key={value}>{formatNumber(value)}</span>
        ))}
      </div>
      <div
        className="chart__plot"
        onPointerMove={point}
        onPointerDown={point}
        onPointerLeave={() => setPointed(undefined)}
      >
        <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
          {[0, 0.5, 1].map((part) => (
            <line key={part} className="chart__grid" x1={0} x2={width} y1={part * height} y2={part * height} />
          ))}
          <Line points={line} height={height} />
        </svg>
        {marked !== undefined && (
          <span
            className="chart__mark"
            style={{ left: `${100 * marked.at}%`, bottom: `${(100 * marked.value) / top}%` }}
          />
        )}
        {pointed !== undefined && (
          <span className="chart__tip" style={{ left: `${Math.min(88, Math.max(12, 100 * pointed.at))}%` }}>
            <strong>{formatNumber(pointed.value)}</strong> {pointed.label}
          </span>
        )}
      </div>
      <div className="chart__ends">
        <span>{ends[0]}</span>
        <span>{ends[1]}</span>
      </div>
    </figure>
  )
}

const [sparkWidth, sparkHeight, sparkMargin] = [120, 36, 2]

/** A line without a scale, beside the number that it ends with. */
export function Sparkline({ points }: { points: readonly Pick<ChartPoint, "at" | "value">[] }) {
  if (points.length < 2) return null
  const values = points.map(({ value }) => value)
  const [lowest, highest] = [Math.min(...values), Math.max(...values)]
  const span = highest - lowest
  const room = sparkHeight - 2 * sparkMargin
  const line = points.map(({ at, value }) => {
    // What does not change is a line in the middle.
    const part = span === 0 ? 0.5 : (value - lowest) / span
    return [at * sparkWidth, sparkMargin + room * (1 - part)] as const
  })
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${sparkWidth} ${sparkHeight}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <Line points={line} height={sparkHeight} />
    </svg>
  )
}

function Line({ points, height }: { points: readonly (readonly [x: number, y: number])[]; height: number }) {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return null
  const path = `M${points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join("L")}`
  return (
    <>
      <path className="chart__area" d={`${path}L${last[0]},${height}L${first[0]},${height}Z`} />
      <path className="chart__line" d={path} />
    </>
  )
}

/** The next number that is easy to halve: 4, 10, 20, 40, 100… */
function roundedUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  return [1, 2, 4, 10].map((factor) => factor * power).find((one) => one >= Math.max(value, 4)) ?? value
}
