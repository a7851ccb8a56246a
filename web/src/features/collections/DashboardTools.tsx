import { CloseButton, NativeSelect, Text, TextInput } from "@mantine/core"
import { IconSearch } from "@tabler/icons-react"
import type { KeyboardEvent, Ref } from "react"
import { useStoredChoice } from "../../lib/stored-choice.ts"
import { formatNumber } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { type SortOrder, sortOrders } from "./arrange.ts"

/** Stored in this browser. */
export function useSortOrder() {
  return useStoredChoice<SortOrder>("envkeep.collections-sorted-by", sortOrders)
}

interface DashboardToolsProps {
  filter: string
  filterField: Ref<HTMLInputElement>
  order: SortOrder
  shown: number
  total: number
  onFilter: (filter: string) => void
  onOrder: (order: SortOrder) => void
}

export function DashboardTools({ filter, filterField, order, shown, total, onFilter, onOrder }: DashboardToolsProps) {
  function clearOnEscape(event: KeyboardEvent) {
    if (event.key === "Escape") onFilter("")
  }
  return (
    <search className="dashboard-tools">
      <TextInput
        ref={filterField}
        aria-label="Filter collections"
        placeholder="Filter by name or environment"
        className="dashboard-tools__filter"
        autoComplete="off"
        leftSection={<Icon shape={IconSearch} />}
        rightSection={
          filter !== "" && <CloseButton aria-label="Clear" size="sm" tabIndex={-1} onClick={() => onFilter("")} />
        }
        value={filter}
        onChange={(event) => onFilter(event.currentTarget.value)}
        onKeyDown={clearOnEscape}
      />
      <Text size="sm" c="dimmed" role="status" flex={1}>
        {filter.trim() === ""
          ? `${formatNumber(total)} collections`
          : `${formatNumber(shown)} of ${formatNumber(total)}`}
      </Text>
      <NativeSelect
        aria-label="Sort by"
        data={sortOrders.map((value) => ({ value, label: `Sort by ${value}` }))}
        value={order}
        onChange={(event) => {
          const chosen = sortOrders.find((one) => one === event.currentTarget.value)
          if (chosen !== undefined) onOrder(chosen)
        }}
      />
    </search>
  )
}
