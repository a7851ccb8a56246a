import type { Environment, Level } from "@envkeep/contract"
import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual"
import {
  type KeyboardEvent,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from "react"
import { copy } from "../../lib/clipboard.ts"
import type { EditorHandle } from "./CellEditor.tsx"
import { type CompareActions, canEdit } from "./cell-actions.ts"
import { GridHead } from "./GridHead.tsx"
import { type GridEvents, GridRow, type Opened, rowHeightPx } from "./GridRow.tsx"
import { type Column, cellOf, missingIn, type Row } from "./grid.ts"
import { type Place, placeAfter } from "./moves.ts"
import type { ColumnChoice } from "./use-column-choice.ts"
import type { Selection } from "./use-selection.ts"
import "./grid.css"

/** As in the style sheet. */
const headHeightPx = 56
const nameWidthPx = 280
const minColumnWidthPx = 210

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
  /** The name and environment whose editor opens now, for a name that was just added. */
  asked: Asked | undefined
  onUnsaved: GridEvents["onUnsaved"]
}

export interface Asked {
  name: string
  environment: Environment
}

/** The active cell by what it shows, so that it stays the same when rows or columns come and go. */
interface ActiveCell {
  /** Undefined: the head. */
  name: string | undefined
  /** Undefined: the column with the names. */
  environmentId: number | undefined
}

/** Names down, environments across. Only what is in view is rendered. */
export function Grid({ rows, allRows, columns, environmentNames, choice, role, fresh, selection, ...rest }: GridProps) {
  const { actions, asked, onUnsaved } = rest
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState<ActiveCell>({
    name: rows[0]?.name,
    environmentId: columns[0]?.environment.id,
  })
  const [opened, setOpened] = useState<Opened>()
  const lastPlace = useRef<Place>({ row: 0, column: 1 })
  const indexes = useMemo(() => new Map(rows.map(({ name }, index) => [name, index])), [rows])
  const place = placeOf(active, { indexes, columns, last: lastPlace.current })
  useEffect(() => {
    lastPlace.current = place
  })

  const width = useWidth(scroller)
  const columnWidthPx = Math.max(minColumnWidthPx, (width - nameWidthPx) / columns.length)
  const down = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeightPx,
    getItemKey: useCallback((index: number) => rows[index]?.name ?? index, [rows]),
    overscan: 8,
    useScrollendEvent: true,
    scrollMargin: headHeightPx,
    scrollPaddingStart: headHeightPx,
    rangeExtractor: (range) => withIndex(range, place.row),
  })
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => columnWidthPx,
    getItemKey: useCallback((index: number) => columns[index]?.environment.id ?? index, [columns]),
    overscan: 1,
    useScrollendEvent: true,
    paddingStart: nameWidthPx,
    scrollPaddingStart: nameWidthPx,
    rangeExtractor: (range) => withIndex(range, place.column - 1),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: it measures by this width.
  useLayoutEffect(() => across.measure(), [across, columnWidthPx])

  const activeCell = useRef<HTMLElement>(null)
  const editor = useRef<EditorHandle>(null)
  const focus = useGridFocus(scroller, activeCell)

  function go(to: Place) {
    setOpened(undefined)
    setActive({
      name: to.row === -1 ? undefined : rows[to.row]?.name,
      environmentId: columns[to.column - 1]?.environment.id,
    })
    if (to.row >= 0) down.scrollToIndex(to.row)
    if (to.column > 0) across.scrollToIndex(to.column - 1)
    focus.want()
  }
  /** From an editor, only after what was typed there is saved. */
  async function leaveTo(to: Place, then?: () => void) {
    const isHere = to.row === place.row && to.column === place.column
    if (opened === "editor" && isHere) return
    if (opened === "editor" && !((await editor.current?.commit()) ?? true)) return
    go(to)
    then?.()
  }
  const rowOf = (name: string) => indexes.get(name) ?? place.row
  function open(to: Place, what: "editor" | "menu") {
    void leaveTo(to, () => setOpened(what))
  }
  function close() {
    setOpened(undefined)
    focus.want()
  }
  /** An entry of the menu may have opened the editor instead. */
  function closeMenu() {
    setOpened((now) => (now === "menu" ? undefined : now))
    focus.want()
  }
  const events: GridEvents = {
    activate: (name, column) => void leaveTo({ row: rowOf(name), column }),
    edit: (name, column) => open({ row: rowOf(name), column }, "editor"),
    openMenu: (name, column) => open({ row: rowOf(name), column }, "menu"),
    close,
    closeMenu,
    moveOn: (side) => go(placeAfter({ key: side === "left" ? "ArrowLeft" : "ArrowRight" }, place, size()) ?? place),
    select(name, extend) {
      go({ row: rowOf(name), column: 0 })
      selection.toggle(name, extend)
    },
    onUnsaved,
  }
  const on = useLatest(events)

  const [answered, setAnswered] = useState<Asked>()
  if (asked !== undefined && asked !== answered && indexes.has(asked.name)) {
    setAnswered(asked)
    setActive({ name: asked.name, environmentId: asked.environment.id })
    setOpened("editor")
  }
  const scrollToRow = useEffectEvent((name: string) => down.scrollToIndex(indexes.get(name) ?? 0))
  useEffect(() => {
    if (answered !== undefined) scrollToRow(answered.name)
  }, [answered])

  const size = () => ({
    rows: rows.length,
    columns: columns.length,
    rowsPerPage: Math.max(1, Math.floor(((scroller.current?.clientHeight ?? 0) - headHeightPx) / rowHeightPx) - 1),
  })

  function handleKey(event: KeyboardEvent<HTMLDivElement>) {
    // The editor and the menus are not in the grid, but React sends their keys here too.
    if (!(event.target instanceof Node) || !event.currentTarget.contains(event.target)) return
    if (opened !== undefined || event.altKey || event.nativeEvent.isComposing) return
    const ctrlKey = event.ctrlKey || event.metaKey
    const to = placeAfter({ key: event.key, ctrlKey }, place, size())
    const act = to === undefined ? actionOf(event.key, { ctrlKey, shiftKey: event.shiftKey }) : () => go(to)
    if (act === undefined) return
    event.preventDefault()
    act()
  }
  function actionOf(key: string, { ctrlKey, shiftKey }: { ctrlKey: boolean; shiftKey: boolean }) {
    const row = rows[place.row]
    const column = columns[place.column - 1]
    const openMenu = () => setOpened("menu")
    const isMenuKey = key === "ContextMenu" || (key === "F10" && shiftKey)
    if (row === undefined) {
      if (key === " " && column === undefined) return selection.toggleAll
      return column !== undefined && (key === "Enter" || isMenuKey) ? openMenu : undefined
    }
    const { name } = row
    if (isMenuKey) return openMenu
    if (column === undefined) {
      if (key === " ") return () => selection.toggle(name, shiftKey)
      if (key === "Enter") return openMenu
      if (key === "c" && ctrlKey) return () => void copy(name)
      return undefined
    }
    const { environment } = column
    const cell = cellOf(column, name)
    const mayEdit = canEdit(role, environment)
    if (key === "Enter" || key === "F2") return mayEdit ? () => setOpened("editor") : openMenu
    if (key === " ") {
      return shiftKey ? () => actions.revealed.toggleRow(name) : () => actions.revealed.toggleCell(name, environment.id)
    }
    if (key === "Delete" && mayEdit && cell.item !== undefined) return () => actions.remove(cell, environment)
    if (key === "c" && ctrlKey && cell.value !== null) return () => void copy(cell.value ?? "")
    if (key.toLowerCase() === "h" && !ctrlKey) return () => actions.showHistory(environment, name)
    return undefined
  }

  const indexesInView = across.getVirtualIndexes().join()
  // The same list until other columns come into view, so that rows do not render again while the grid scrolls.
  const inView = useMemo(() => {
    const indexes = indexesInView === "" ? [] : indexesInView.split(",").map(Number)
    return indexes.map((index) => ({ index, start: nameWidthPx + index * columnWidthPx, size: columnWidthPx }))
  }, [indexesInView, columnWidthPx])
  const missing = useMemo(() => columns.map((column) => missingIn(column, allRows)), [columns, allRows])
  const activeIn = { cell: activeCell, editor, column: place.column, opened }
  return (
    <div
      ref={scroller}
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
      <div role="rowgroup" className="grid__head" style={{ width: across.getTotalSize() }}>
        <GridHead
          columns={columns}
          inView={inView}
          missing={missing}
          environmentNames={environmentNames}
          choice={choice}
          active={place.row === -1 ? activeIn : undefined}
          actions={actions}
          selection={{
            isAll: selection.isAll,
            isSome: selection.names.size > 0,
            toggle: selection.toggleAll,
          }}
          onActivate={(column) => void leaveTo({ row: -1, column })}
          onOpenMenu={(column) => open({ row: -1, column }, "menu")}
          onClose={closeMenu}
        />
      </div>
      <div
        role="rowgroup"
        className="grid__body"
        style={{ width: across.getTotalSize(), height: rows.length * rowHeightPx }}
      >
        {down.getVirtualItems().map(({ index, key, start }) => {
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
                isSelected={selection.names.has(row.name)}
                active={place.row === index ? activeIn : undefined}
                fresh={fresh}
                actions={actions}
                on={on}
              />
            )
          )
        })}
      </div>
    </div>
  )
}

/** The place of a cell. If it is gone, the one that has taken its place. */
function placeOf(
  { name, environmentId }: ActiveCell,
  { indexes, columns, last }: { indexes: ReadonlyMap<string, number>; columns: readonly Column[]; last: Place },
): Place {
  const column = columns.findIndex(({ environment }) => environment.id === environmentId) + 1
  return {
    row: name === undefined ? -1 : (indexes.get(name) ?? Math.min(last.row, indexes.size - 1)),
    column: environmentId === undefined || column > 0 ? column : Math.min(last.column, columns.length),
  }
}

/** The active cell stays rendered, so that scrolling away does not lose the focus. */
function withIndex(range: Range, index: number): number[] {
  const seen = defaultRangeExtractor(range)
  if (index < 0 || index >= range.count || seen.includes(index)) return seen
  return [...seen, index].sort((one, other) => one - other)
}

function useWidth(element: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const measure = () => element.current && setWidth(element.current.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return width
}

/** An object whose functions always call the latest ones, and which itself stays the same. */
function useLatest(events: GridEvents): GridEvents {
  const latest = useRef(events)
  useEffect(() => {
    latest.current = events
  })
  const [stable] = useState<GridEvents>(() => ({
    activate: (...args) => latest.current.activate(...args),
    edit: (...args) => latest.current.edit(...args),
    openMenu: (...args) => latest.current.openMenu(...args),
    close: () => latest.current.close(),
    closeMenu: () => latest.current.closeMenu(),
    moveOn: (...args) => latest.current.moveOn(...args),
    select: (...args) => latest.current.select(...args),
    onUnsaved: (...args) => latest.current.onUnsaved(...args),
  }))
  return stable
}

/** Focuses the active cell when it is wanted, and when the cell that had the focus was removed. */
function useGridFocus(scroller: React.RefObject<HTMLElement | null>, cell: React.RefObject<HTMLElement | null>) {
  const isWanted = useRef(false)
  const isInside = useRef(false)
  useLayoutEffect(() => {
    const isLost = isInside.current && document.activeElement === document.body
    if (!isWanted.current && !isLost) return
    isWanted.current = false
    if (scroller.current?.contains(cell.current)) cell.current?.focus({ preventScroll: true })
  })
  const [handlers] = useState(() => ({
    want: () => {
      isWanted.current = true
    },
    onFocus: () => {
      isInside.current = true
    },
    onBlur: ({ relatedTarget }: { relatedTarget: EventTarget | null }) => {
      // Nothing else has the focus: the cell may have been removed.
      if (relatedTarget !== null) isInside.current = false
    },
  }))
  return handlers
}
