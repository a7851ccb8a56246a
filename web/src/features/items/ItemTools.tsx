import { Button, Text, TextInput } from "@mantine/core"
import { IconSearch } from "@tabler/icons-react"
import { useRef } from "react"
import { formatNumber } from "../../ui/counts.ts"
import { Icon } from "../../ui/Icon.tsx"
import { ShowValues } from "../../ui/ShowValues.tsx"
import { HistoryLink } from "./HistoryLink.tsx"
import "./item-tools.css"

interface ItemToolsProps {
  filter: string
  /** How many items match the filter. Unsaved rows that do not are listed too. */
  found: number
  total: number
  /** Undefined if the values cannot be shown. */
  allShown: boolean | undefined
  /** Where the history of the environment is. */
  historyPath: string
  onFilter: (filter: string) => void
  onToggleAll: () => void
}

/** The bar above the rows. It stays in view while they scroll. */
export function ItemTools({ filter, found, total, allShown, historyPath, onFilter, onToggleAll }: ItemToolsProps) {
  const field = useRef<HTMLInputElement>(null)

  function clear() {
    // The button is about to be removed.
    field.current?.focus()
    onFilter("")
  }
  return (
    <>
      <div className="items__tools icons-on-phones">
        <TextInput
          ref={field}
          aria-label="Filter items"
          placeholder="Filter by name"
          type="search"
          leftSection={<Icon shape={IconSearch} />}
          value={filter}
          onChange={(event) => onFilter(event.currentTarget.value)}
        />
        <Text size="sm" c="dimmed" role="status" flex="none" ml={4}>
          {filter.trim() !== "" && `${formatNumber(found)} of ${formatNumber(total)}`}
        </Text>
        <HistoryLink to={historyPath} ml="auto" />
        {allShown !== undefined && <ShowValues what="all values" shown={allShown} onToggle={onToggleAll} />}
      </div>
      {found === 0 && (
        <div className="items__note">
          <Text c="dimmed" size="sm">
            No item has a name with this text.
          </Text>
          <Button variant="default" size="xs" onClick={clear}>
            Clear filter
          </Button>
        </div>
      )}
    </>
  )
}
