import { Button } from "@mantine/core"
import { type ReactNode, useState } from "react"

const first = 100
const more = 1_000

interface LongListProps<Row> {
  label: string
  rows: Row[]
  render: (row: Row) => ReactNode
  keyOf: (row: Row) => string | number
}

/** Shows the beginning of a list and the rest on request, so that ten thousand rows cost no more than a hundred. */
export function LongList<Row>({ label, rows, render, keyOf }: LongListProps<Row>) {
  const [count, setCount] = useState(first)
  const hidden = Math.max(0, rows.length - count)
  return (
    <>
      <ul className="long-list" aria-label={label}>
        {rows.slice(0, count).map((row) => (
          <li key={keyOf(row)}>{render(row)}</li>
        ))}
      </ul>
      {hidden > 0 && (
        <Button variant="subtle" color="gray" size="xs" onClick={() => setCount(count + more)}>
          {`Show ${Math.min(hidden, more).toLocaleString("en-US")} more of ${hidden.toLocaleString("en-US")}`}
        </Button>
      )}
    </>
  )
}
