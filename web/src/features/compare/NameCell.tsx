import { VisuallyHidden } from "@mantine/core"
import { IconDots, IconEye, IconEyeOff, IconInfoCircle } from "@tabler/icons-react"
import { type CompareActions, nameEntries } from "./cell-actions.ts"
import { GridMenu } from "./GridMenu.tsx"
import type { Row } from "./grid.ts"
import type { Active, GridEvents } from "./grid-events.ts"
import { MiniButton } from "./MiniButton.tsx"
import { useGridCell } from "./use-grid-cell.ts"

interface NameCellProps {
  row: Row
  isSelected: boolean
  active: Active | undefined
  actions: CompareActions
  on: GridEvents
}

/** The head of a row. */
export function NameCell({ row, isSelected, active, actions, on }: NameCellProps) {
  const { name, about } = row
  const { revealed } = actions
  const { attributes, tabIndex, hasButtons } = useGridCell({ name, at: 0, active, on })
  const isShown = revealed.isRowShown(name)
  return (
    <div role="rowheader" className="grid-cell grid-cell--name" tabIndex={tabIndex} {...attributes}>
      <span className="grid-cell__check">
        <input
          type="checkbox"
          tabIndex={-1}
          aria-label={`Select ${name}`}
          checked={isSelected}
          onChange={() => undefined}
          onClick={(event) => {
            event.stopPropagation()
            on.select(name, event.shiftKey)
          }}
        />
      </span>
      <span className="name-text grid-cell__name" title={about?.description ? `${name}\n${about.description}` : name}>
        {name}
      </span>
      {about?.isRequired && (
        <span className="grid-cell__required" title="Required">
          <span aria-hidden="true">*</span>
          <VisuallyHidden>, required</VisuallyHidden>
        </span>
      )}
      {hasButtons && (
        <span className="grid-cell__buttons">
          <MiniButton
            label={`About ${name}`}
            icon={IconInfoCircle}
            onClick={() => {
              on.activate(name, 0)
              actions.showAbout(name)
            }}
          />
          <MiniButton
            label={isShown ? "Hide values" : "Show values"}
            icon={isShown ? IconEyeOff : IconEye}
            onClick={() => revealed.toggleRow(name)}
          />
          <MiniButton label={`More about ${name}`} icon={IconDots} onClick={() => on.openMenu(name, 0)} />
        </span>
      )}
      {active?.opened === "menu" && (
        <GridMenu
          label={name}
          entries={nameEntries({ row, isSelected, actions, onSelect: () => on.select(name, false) })}
          onClose={on.closeMenu}
        />
      )}
    </div>
  )
}
