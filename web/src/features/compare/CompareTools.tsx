import { TextInput } from "@mantine/core"
import { IconSearch } from "@tabler/icons-react"
import type { Ref } from "react"
import { formatNumber } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { type Filter, filterNames, filters, type Row } from "./grid.ts"

interface CompareToolsProps {
  allRows: readonly Row[]
  found: number
  text: string
  filter: Filter
  searchField: Ref<HTMLInputElement>
  onText: (text: string) => void
  onFilter: (filter: Filter) => void
}

/** Which names are listed. */
export function CompareTools({ allRows, found, text, filter, searchField, ...on }: CompareToolsProps) {
  const isFiltered = filter !== "all" || text.trim() !== ""
  return (
    <div className="compare-tools">
      <TextInput
        ref={searchField}
        type="search"
        aria-label="Filter by name"
        placeholder="Filter by name"
        className="compare-tools__search"
        autoComplete="off"
        spellCheck={false}
        leftSection={<Icon shape={IconSearch} />}
        value={text}
        onChange={({ currentTarget }) => on.onText(currentTarget.value)}
      />
      <fieldset className="filter-bar" aria-label="Show">
        {filterNames.map((name) => (
          <label key={name} className="filter-bar__choice">
            <input type="radio" name="filter" checked={filter === name} onChange={() => on.onFilter(name)} />
            <span>{filters[name].label}</span>
            <FilterCount rows={allRows} filter={name} />
          </label>
        ))}
      </fieldset>
      <span role="status" className="compare-tools__count">
        {isFiltered && `${formatNumber(found)} of ${formatNumber(allRows.length)}`}
      </span>
    </div>
  )
}

function FilterCount({ rows, filter }: { rows: readonly Row[]; filter: Filter }) {
  const { includes } = filters[filter]
  const count = rows.reduce((sum, row) => (includes(row) ? sum + 1 : sum), 0)
  return <span className="filter-bar__count">{formatNumber(count)}</span>
}
