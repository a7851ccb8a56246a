import { Button, TextInput } from "@mantine/core"
import { IconSearch } from "@tabler/icons-react"
import { type ReactNode, useState } from "react"
import { formatNumber } from "./counts.ts"
import { Icon } from "./Icon.tsx"

const firstRows = 100
const moreRows = 1_000
/** With more than this, there is a field to find some. */
const maxWithoutSearch = 10

interface LongListProps<Row> {
  label: string
  rows: Row[]
  render: (row: Row) => ReactNode
  keyOf: (row: Row) => string | number
  /** The field to find rows in a list that is not short, and the text of a row in which it looks. */
  search?: { label: string; textOf: (row: Row) => string }
}

/** Shows the first rows of a list and the rest on request, so that ten thousand rows render as fast as a hundred. */
export function LongList<Row>({ label, rows, render, keyOf, search }: LongListProps<Row>) {
  const [count, setCount] = useState(firstRows)
  const [sought, setSought] = useState("")
  const canSearch = search !== undefined && (rows.length > maxWithoutSearch || sought !== "")
  const wanted = sought.trim().toLowerCase()
  const found = canSearch ? rows.filter((row) => search.textOf(row).toLowerCase().includes(wanted)) : rows
  const hidden = Math.max(0, found.length - count)
  return (
    <>
      {canSearch && (
        <div className="long-list__search">
          <TextInput
            type="search"
            aria-label={search.label}
            placeholder={search.label}
            autoComplete="off"
            spellCheck={false}
            leftSection={<Icon shape={IconSearch} />}
            value={sought}
            onChange={({ currentTarget }) => setSought(currentTarget.value)}
          />
          <span role="status">{wanted !== "" && `${formatNumber(found.length)} of ${formatNumber(rows.length)}`}</span>
        </div>
      )}
      <ul className="long-list" aria-label={label}>
        {found.slice(0, count).map((row) => (
          <li key={keyOf(row)}>{render(row)}</li>
        ))}
      </ul>
      {hidden > 0 && (
        <Button variant="subtle" color="gray" size="xs" onClick={() => setCount(count + moreRows)}>
          {`Show ${formatNumber(Math.min(hidden, moreRows))} more of ${formatNumber(hidden)}`}
        </Button>
      )}
    </>
  )
}
