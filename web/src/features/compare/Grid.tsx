import type { Level } from "@envkeep/contract"
import { useMemo, useRef } from "react"
import type { EditorHandle } from "./CellEditor.tsx"
import type { CompareActions } from "./cell-actions.ts"
import { GridHead } from "./GridHead.tsx"
import { GridRow } from "./GridRow.tsx"
import { type Column, missingIn, type Row } from "./grid.ts"
import type { GridEvents } from "./grid-events.ts"
import type { ColumnChoice } from "./use-column-choice.ts"
import { type Asked, useCursor } from "./use-cursor.ts"
import { useGridControls } from "./use-grid-controls.ts"
import { useGridFocus } from "./use-grid-focus.ts"
import { headHeightPx, useGridView } from "./use-grid-view.ts"
import type { Selection } from "./use-selection.ts"
import "./grid.css"

interface GridProps {
  rows: readonly Row[]
  /** Of all names, not only of those that are listed. */
  allRows: readonly Row[]
  columns: readonly Column[]
  environmentNames: ReadonlyMap<number, string>
  choice: ColumnChoice
  role: Level
  fresh: ReadonlySet<number>
  selection: Selection
  actions: CompareActions
  asked: Asked | undefined
  onUnsaved: GridEvents["onUnsaved"]
}

/** Names down, environments across. Only what is in view is rendered. */
export function Grid({ rows, allRows, columns, environmentNames, choice, role, fresh, selection, ...rest }: GridProps) {
  const { actions, asked, onUnsaved } = rest
  const activeCell = useRef<HTMLElement>(null)
  const editor = useRef<EditorHandle>(null)
  const cursor = useCursor({ rows, columns, asked })
  const { place } = cursor
  const view = useGridView({ rows, columns, place })
  const { inView, size } = view
  const focus = useGridFocus(view.scroller, activeCell)
  const { on, onHead, handleKey } = useGridControls({
    rows,
    columns,
    role,
    selection,
    actions,
    cursor,
    view,
    editor,
    onFocusWanted: focus.want,
    onUnsaved,
  })
  const missing = useMemo(() => columns.map((column) => missingIn(column, allRows)), [columns, allRows])
  const active = { cell: activeCell, editor, column: place.column, opened: cursor.opened }
  return (
    <div
      ref={view.scroller}
      role="grid"
      aria-label="Variables by environment"
      aria-rowcount={rows.length + 1}
      aria-colcount={columns.length + 1}
      aria-multiselectable="true"
      className="card grid"
      onKeyDown={handleKey}
      onFocus={focus.onFocus}
      onBlur={focus.onBlur}
    >
      <div role="rowgroup" className="grid__head" style={{ width: size.width }}>
        <GridHead
          columns={columns}
          inView={inView}
          missing={missing}
          environmentNames={environmentNames}
          choice={choice}
          actions={actions}
          active={place.row === -1 ? active : undefined}
          selection={{ isAll: selection.isAll, isSome: selection.names.size > 0, toggle: selection.toggleAll }}
          onActivate={onHead.activate}
          onOpenMenu={onHead.openMenu}
          onClose={on.closeMenu}
        />
      </div>
      <div role="rowgroup" className="grid__body" style={size}>
        {view.rowsInView.map(({ index, key, start }) => {
          const row = rows[index]
          return (
            row && (
              <GridRow
                key={key}
                row={row}
                index={index}
                topPx={start - headHeightPx}
                columns={columns}
                inView={inView}
                environmentNames={environmentNames}
                role={role}
                fresh={fresh}
                actions={actions}
                on={on}
                isSelected={selection.names.has(row.name)}
                active={place.row === index ? active : undefined}
              />
            )
          )
        })}
      </div>
    </div>
  )
}
