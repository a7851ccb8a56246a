import { Button, Title } from "@mantine/core"
import { IconColumns3, IconKeyboard, IconPlus } from "@tabler/icons-react"
import { Icon } from "../../ui/Icon.tsx"
import { IconButton } from "../../ui/IconButton.tsx"
import { ShowValues } from "../../ui/ShowValues.tsx"

interface CompareHeadProps {
  /** How many columns are hidden. */
  hiddenColumns: number
  /** Undefined if the user may see no value. */
  allShown: boolean | undefined
  onToggleAll: () => void
  onColumns: () => void
  /** Undefined if the user may add none. */
  onAdd: (() => void) | undefined
  /** Undefined where there is no keyboard. */
  onHelp: (() => void) | undefined
}

/** The heading, with what can be done with the whole grid. */
export function CompareHead({ hiddenColumns, allShown, ...on }: CompareHeadProps) {
  return (
    <div className="compare-head">
      <Title order={1}>Compare</Title>
      <div className="compare-head__actions">
        {on.onAdd && (
          <Button variant="default" size="xs" leftSection={<Icon shape={IconPlus} />} onClick={on.onAdd}>
            Add name
          </Button>
        )}
        <Button variant="default" size="xs" leftSection={<Icon shape={IconColumns3} />} onClick={on.onColumns}>
          {hiddenColumns === 0 ? "Columns" : `Columns (${hiddenColumns} hidden)`}
        </Button>
        {allShown !== undefined && <ShowValues what="all values" shown={allShown} onToggle={on.onToggleAll} />}
        {on.onHelp && (
          <IconButton label="Keyboard shortcuts" onClick={on.onHelp}>
            <Icon shape={IconKeyboard} />
          </IconButton>
        )}
      </div>
    </div>
  )
}
