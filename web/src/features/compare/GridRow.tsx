import type { Level } from "@envkeep/contract"
import { Popover, VisuallyHidden } from "@mantine/core"
import { IconDots, IconEye, IconEyeOff, IconInfoCircle, IconPencil, IconPlus } from "@tabler/icons-react"
import { type MouseEvent, memo, type Ref, type RefObject, useState } from "react"
import { Icon } from "../../ui/Icon.tsx"
import { CellEditor, type EditorHandle } from "./CellEditor.tsx"
import { CellMarks, CellText, type Sameness } from "./CellText.tsx"
import { type CompareActions, canEdit, cellEntries, nameEntries } from "./cell-actions.ts"
import { GridMenu } from "./GridMenu.tsx"
import { type Cell, type Column, cellOf, type Row } from "./grid.ts"
import { samenessOf } from "./sameness.ts"

/** What is open at the active cell. */
export type Opened = "editor" | "menu" | undefined

/** The same functions at every render, so that rows do not render again because of them. */
export interface GridEvents {
  /** Column 0 has the names. */
  activate: (name: string, column: number) => void
  edit: (name: string, column: number) => void
  openMenu: (name: string, column: number) => void
  close: () => void
  closeMenu: () => void
  moveOn: (side: "left" | "right") => void
  /** With `extend`, all rows from the one that was selected before. */
  select: (name: string, extend: boolean) => void
  onUnsaved: (environmentId: number, isUnsaved: boolean) => void
}

export interface Active {
  cell: RefObject<HTMLElement | null>
  editor: Ref<EditorHandle>
  column: number
  opened: Opened
}

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

interface NameCellProps extends Pick<GridRowProps, "row" | "isSelected" | "active" | "actions" | "on"> {}

function NameCell({ row, isSelected, active, actions, on }: NameCellProps) {
  const { name, about } = row
  const pointer = usePointer()
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of its cells.
    <div
      role="rowheader"
      aria-colindex={1}
      tabIndex={active === undefined ? -1 : 0}
      {...(active && { ref: active.cell as RefObject<HTMLDivElement> })}
      className="grid-cell grid-cell--name"
      {...pointer.on}
      onClick={() => on.activate(name, 0)}
      onContextMenu={(event) => contextMenu(event, () => on.openMenu(name, 0))}
    >
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
      {(pointer.isOver || active !== undefined) && (
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
            label={actions.revealed.isRowShown(name) ? "Hide values" : "Show values"}
            icon={actions.revealed.isRowShown(name) ? IconEyeOff : IconEye}
            onClick={() => actions.revealed.toggleRow(name)}
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

interface ValueCellProps extends Pick<GridRowProps, "row" | "role" | "active" | "actions" | "on"> {
  /** Its column in the grid. */
  at: number
  place: { left: number; width: number }
  column: Column
  cell: Cell
  sameness: Sameness | undefined
  from: string | undefined
  isFresh: boolean
}

function ValueCell({
  row,
  at,
  place,
  column,
  cell,
  sameness,
  from,
  role,
  isFresh,
  active,
  actions,
  on,
}: ValueCellProps) {
  const { name, about } = row
  const { environment } = column
  const mayEdit = canEdit(role, environment)
  const isShown = actions.revealed.isShown(name, environment.id)
  const edit = () => on.edit(name, at)
  const pointer = usePointer()
  const classes = [
    "grid-cell",
    `grid-cell--${cell.state}`,
    cell.inheritedFrom !== undefined && "grid-cell--inherited",
    isFresh && "grid-cell--fresh",
  ]
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid handles the keys of its cells.
    <div
      role="gridcell"
      aria-colindex={at + 1}
      aria-readonly={!mayEdit}
      tabIndex={active === undefined ? -1 : 0}
      {...(active && { ref: active.cell as RefObject<HTMLDivElement> })}
      className={classes.filter(Boolean).join(" ")}
      style={place}
      {...pointer.on}
      onClick={() => on.activate(name, at)}
      onDoubleClick={mayEdit ? edit : undefined}
      onContextMenu={(event) => contextMenu(event, () => on.openMenu(name, at))}
    >
      <span className="grid-cell__text">
        <CellText cell={cell} about={about} shown={isShown} />
      </span>
      <span className="grid-cell__marks">
        <CellMarks cell={cell} about={about} from={from} sameness={sameness} />
      </span>
      {(pointer.isOver || active !== undefined) && (
        <span className="grid-cell__buttons">
          {cell.state === "value" && about?.isSecret !== false && (
            <MiniButton
              label={isShown ? "Hide value" : "Show value"}
              icon={isShown ? IconEyeOff : IconEye}
              onClick={() => actions.revealed.toggleCell(name, environment.id)}
            />
          )}
          {mayEdit && (
            <MiniButton
              label={cell.state === "missing" ? "Add" : "Edit"}
              icon={cell.state === "missing" ? IconPlus : IconPencil}
              onClick={edit}
            />
          )}
          <MiniButton label="More actions" icon={IconDots} onClick={() => on.openMenu(name, at)} />
        </span>
      )}
      {active?.opened === "menu" && (
        <GridMenu
          label={`${name} in ${environment.name}`}
          entries={cellEntries({ row, environment, cell, role, actions, onEdit: edit })}
          onClose={on.closeMenu}
        />
      )}
      {active?.opened === "editor" && (
        <Popover
          opened
          position="bottom-start"
          // Over the cell, and not below it.
          offset={-rowHeightPx}
          width={Math.max(380, place.width)}
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
            aria-label={`${name} in ${environment.name}`}
            // React sends the events of the editor through the cell.
            onClick={(event) => event.stopPropagation()}
            onDoubleClick={(event) => event.stopPropagation()}
            onContextMenu={(event) => event.stopPropagation()}
          >
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
          </Popover.Dropdown>
        </Popover>
      )}
    </div>
  )
}

/** As in the style sheet. */
export const rowHeightPx = 40

function contextMenu(event: MouseEvent, open: () => void) {
  event.preventDefault()
  open()
}

/** Whether the pointer is over a cell. Only then its buttons are rendered: those of all cells would slow scrolling down. */
function usePointer() {
  const [isOver, setOver] = useState(false)
  return { isOver, on: { onPointerEnter: () => setOver(true), onPointerLeave: () => setOver(false) } }
}

/** For the mouse only: the keyboard has keys for it, and the menu of the cell. */
function MiniButton({ label, icon, onClick }: { label: string; icon: typeof IconEye; onClick: () => void }) {
  return (
    <button
      type="button"
      tabIndex={-1}
      className="mini-button"
      title={label}
      aria-label={label}
      onClick={(event) => {
        event.stopPropagation()
        onClick()
      }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <Icon shape={icon} />
    </button>
  )
}
