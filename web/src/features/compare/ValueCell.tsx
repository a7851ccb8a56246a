import type { Level } from "@envkeep/contract"
import { IconDots, IconEye, IconEyeOff, IconPencil, IconPlus } from "@tabler/icons-react"
import { CellEditor } from "./CellEditor.tsx"
import { CellEditorBox } from "./CellEditorBox.tsx"
import { CellMarks, CellText, type Sameness } from "./CellText.tsx"
import { type CompareActions, canEdit, cellEntries } from "./cell-actions.ts"
import { GridMenu } from "./GridMenu.tsx"
import type { Cell, Column, Row } from "./grid.ts"
import type { Active, GridEvents } from "./grid-events.ts"
import { MiniButton } from "./MiniButton.tsx"
import { useGridCell } from "./use-grid-cell.ts"

interface ValueCellProps {
  row: Row
  /** Its column in the grid. */
  at: number
  place: { left: number; width: number }
  column: Column
  cell: Cell
  sameness: Sameness | undefined
  /** The name of the environment that the value comes from, if that is another one. */
  from: string | undefined
  role: Level
  isFresh: boolean
  active: Active | undefined
  actions: CompareActions
  on: GridEvents
}

/** The value of a name in one environment. */
export function ValueCell({ row, at, place, column, cell, sameness, from, role, isFresh, ...rest }: ValueCellProps) {
  const { active, actions, on } = rest
  const { name, about } = row
  const { environment } = column
  const { attributes, tabIndex, hasButtons } = useGridCell({ name, at, active, on })
  const mayEdit = canEdit(role, environment)
  const isShown = actions.revealed.isShown(name, environment.id)
  const isMissing = cell.state === "missing"
  const edit = () => on.edit(name, at)
  const label = `${name} in ${environment.name}`
  return (
    <div
      role="gridcell"
      aria-readonly={!mayEdit}
      className={classesOf(cell, isFresh)}
      style={place}
      tabIndex={tabIndex}
      {...attributes}
      onDoubleClick={mayEdit ? edit : undefined}
    >
      <span className="grid-cell__text">
        <CellText cell={cell} about={about} shown={isShown} />
      </span>
      <span className="grid-cell__marks">
        <CellMarks cell={cell} about={about} from={from} sameness={sameness} />
      </span>
      {hasButtons && (
        <span className="grid-cell__buttons">
          {cell.state === "value" && about?.isSecret !== false && (
            <MiniButton
              label={isShown ? "Hide value" : "Show value"}
              icon={isShown ? IconEyeOff : IconEye}
              onClick={() => actions.revealed.toggleCell(name, environment.id)}
            />
          )}
          {mayEdit && (
            <MiniButton label={isMissing ? "Add" : "Edit"} icon={isMissing ? IconPlus : IconPencil} onClick={edit} />
          )}
          <MiniButton label="More actions" icon={IconDots} onClick={() => on.openMenu(name, at)} />
        </span>
      )}
      {active?.opened === "menu" && (
        <GridMenu
          label={label}
          entries={cellEntries({ row, environment, cell, role, actions, onEdit: edit })}
          onClose={on.closeMenu}
        />
      )}
      {active?.opened === "editor" && (
        <CellEditorBox label={label} cellWidthPx={place.width}>
          <CellEditor
            ref={active.editor}
            name={name}
            environment={environment}
            cell={cell}
            about={about}
            from={from}
            onClose={on.close}
            onMove={on.moveOn}
            onUnsaved={on.onUnsaved}
          />
        </CellEditorBox>
      )}
    </div>
  )
}

function classesOf({ state, inheritedFrom }: Cell, isFresh: boolean): string {
  const classes = [
    "grid-cell",
    `grid-cell--${state}`,
    inheritedFrom !== undefined && "grid-cell--inherited",
    isFresh && "grid-cell--fresh",
  ]
  return classes.filter(Boolean).join(" ")
}
