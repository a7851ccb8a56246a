import { Popover } from "@mantine/core"
import type { ReactNode } from "react"
import { rowHeightPx } from "./use-grid-view.ts"

interface CellEditorBoxProps {
  label: string
  cellWidthPx: number
  children: ReactNode
}

/** Holds the editor of a cell of the grid: over the cell, and as wide as it or wider. */
export function CellEditorBox({ label, cellWidthPx, children }: CellEditorBoxProps) {
  return (
    <Popover
      opened
      position="bottom-start"
      // Over the cell, and not below it.
      offset={-rowHeightPx}
      width={Math.max(380, cellWidthPx)}
      shadow="md"
      trapFocus
      closeOnEscape={false}
      closeOnClickOutside={false}
      returnFocus={false}
      hideDetached={false}
      withRoles={false}
      transitionProps={{ duration: 0 }}
      portalProps={{ target: "main" }}
    >
      <Popover.Target>
        <span className="cell__anchor" />
      </Popover.Target>
      <Popover.Dropdown
        className="cell-editor__box"
        role="dialog"
        aria-label={label}
        // React sends the events of the editor through the cell.
        onClick={(event) => event.stopPropagation()}
        onDoubleClick={(event) => event.stopPropagation()}
        onContextMenu={(event) => event.stopPropagation()}
      >
        {children}
      </Popover.Dropdown>
    </Popover>
  )
}
