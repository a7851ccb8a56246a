import { Button } from "@mantine/core"
import { type ReactNode, useState } from "react"

const firstRows = 100
const moreRows = 1_000

interface LongListProps<Row> {
  label: string
  rows: Row[]
  render: (row: Row) => ReactNode
  keyOf: (row: Row) => string | number
}

/** Shows the first rows of a list and the rest on request, so that ten thousand rows render as fast as a hundred. */
export function LongList<Row>({ label, rows, render, keyOf }: LongListProps<Row>) {
  const [count, setCount] = useState(firstRows)
  const hidden = Math.max(0, rows.length - count)
  return (
    <>
      <ul className="long-list" aria-label={label}>
        {rows.slice(0, count).map((row) => (
          <li key={keyOf(row)}>{render(row)}</li>
        ))}
      </ul>
      {hidden > 0 && (
        <Button variant="subtle" color="gray" size="xs" onClick={() => setCount(count + moreRows)}>
          {`Show ${Math.min(hidden, moreRows).toLocaleString("en-US")} more of ${hidden.toLocaleString("en-US")}`}
        </Button>
      )}
    </>
  )
}
