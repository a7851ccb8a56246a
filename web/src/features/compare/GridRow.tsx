import type { Level } from "@envkeep/contract"
import { memo } from "react"
import type { CompareActions } from "./cell-actions.ts"
import { type Column, cellOf, type Row } from "./grid.ts"
import type { Active, GridEvents } from "./grid-events.ts"
import { NameCell } from "./NameCell.tsx"
import { samenessOf } from "./sameness.ts"
import { ValueCell } from "./ValueCell.tsx"

interface GridRowProps {
  row: Row
  index: number
  topPx: number
  /** All that are shown, of which only some are in view. */
  columns: readonly Column[]
  inView: readonly { index: number; start: number; size: number }[]
  environmentNames: ReadonlyMap<number, string>
  role: Level
  isSelected: boolean
  /** Set if the active cell is in this row. */
  active: Active | undefined
  fresh: ReadonlySet<number>
  actions: CompareActions
  on: GridEvents
}

/** One name. Memoized, so that moving from cell to cell renders two rows and not all. */
export const GridRow = memo(function GridRow({
  row,
  index,
  topPx,
  columns,
  inView,
  environmentNames,
  role,
  active,
  fresh,
  actions,
  on,
  ...rest
}: GridRowProps) {
  const cells = columns.map((column) => cellOf(column, row.name))
  const sameness = samenessOf(
    cells,
    columns.map(({ environment }) => environment),
  )
  return (
    <div
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={rest.isSelected}
      className="grid-row"
      style={{ transform: `translateY(${topPx}px)` }}
    >
      <NameCell row={row} active={active?.column === 0 ? active : undefined} actions={actions} on={on} {...rest} />
      {inView.map(({ index: at, start, size }) => {
        const column = columns[at]
        const cell = cells[at]
        if (column === undefined || cell === undefined) return null
        return (
          <ValueCell
            key={column.environment.id}
            row={row}
            at={at + 1}
            place={{ left: start, width: size }}
            column={column}
            cell={cell}
            sameness={sameness[at]}
            from={cell.inheritedFrom === undefined ? undefined : environmentNames.get(cell.inheritedFrom)}
            role={role}
            isFresh={cell.item !== undefined && fresh.has(cell.item.id)}
            active={active?.column === at + 1 ? active : undefined}
            actions={actions}
            on={on}
          />
        )
      })}
    </div>
  )
})
