import type { Level } from "@envkeep/contract"
import { useState } from "react"
import { Dialog } from "../../ui/Dialog.tsx"
import { ShowValues } from "../../ui/ShowValues.tsx"
import { CellEditor } from "./CellEditor.tsx"
import type { CompareActions } from "./cell-actions.ts"
import { type Cell, type Column, cellOf, type Row } from "./grid.ts"
import { OneNameHead } from "./OneNameHead.tsx"
import { OneNameValue } from "./OneNameValue.tsx"
import { samenessOf } from "./sameness.ts"
import { useChosenRow } from "./use-chosen-row.ts"
import "./one-name.css"

interface OneNameProps {
  rows: readonly Row[]
  columns: readonly Column[]
  environmentNames: ReadonlyMap<number, string>
  role: Level
  fresh: ReadonlySet<number>
  actions: CompareActions
  /** The name to go to, after it was added. */
  asked: string | undefined
  onUnsaved: (environmentId: number, isUnsaved: boolean) => void
}

/** For phones: one name with its environments below. */
export function OneName({ rows, columns, environmentNames, role, fresh, actions, asked, onUnsaved }: OneNameProps) {
  const { row, index, choose } = useChosenRow(rows, asked)
  const [editing, setEditing] = useState<number>()
  if (row === undefined) return null

  const { revealed } = actions
  const cells = columns.map((column) => cellOf(column, row.name))
  const sameness = samenessOf(
    cells,
    columns.map(({ environment }) => environment),
  )
  const fromOf = (cell: Cell) => environmentNames.get(cell.inheritedFrom ?? 0)
  const edited = columns.findIndex(({ environment }) => environment.id === editing)
  const [editedColumn, editedCell] = [columns[edited], cells[edited]]
  const closeEditor = () => setEditing(undefined)
  const canShow = cells.some(({ state }) => state === "value") && row.about?.isSecret !== false
  return (
    <section className="one-name" aria-label={row.name}>
      <OneNameHead rows={rows} row={row} index={index} onChoose={choose} onAbout={actions.showAbout} />
      {canShow && <ShowValues shown={revealed.isRowShown(row.name)} onToggle={() => revealed.toggleRow(row.name)} />}
      <ul className="one-name__list">
        {columns.map(({ environment }, at) => {
          const cell = cells[at]
          if (cell === undefined) return null
          return (
            <OneNameValue
              key={environment.id}
              row={row}
              environment={environment}
              cell={cell}
              sameness={sameness[at]}
              from={fromOf(cell)}
              role={role}
              isFresh={cell.item !== undefined && fresh.has(cell.item.id)}
              actions={actions}
              onEdit={() => setEditing(environment.id)}
            />
          )
        })}
      </ul>
      <Dialog
        opened={editedColumn !== undefined}
        onClose={closeEditor}
        title={editedCell?.state === "missing" ? "Add value" : "Edit value"}
        closesOutside={false}
      >
        {editedColumn !== undefined && editedCell !== undefined && (
          <CellEditor
            key={`${editedColumn.environment.id} ${row.name}`}
            name={row.name}
            environment={editedColumn.environment}
            cell={editedCell}
            about={row.about}
            from={fromOf(editedCell)}
            onClose={closeEditor}
            onUnsaved={onUnsaved}
          />
        )}
      </Dialog>
    </section>
  )
}
