import type { Level } from "@envkeep/contract"
import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent } from "react"
import { copy } from "../../lib/clipboard.ts"
import { useStable } from "../../lib/use-stable.ts"
import type { EditorHandle } from "./CellEditor.tsx"
import type { CompareActions } from "./cell-actions.ts"
import type { Column, Row } from "./grid.ts"
import type { GridEvents } from "./grid-events.ts"
import { type KeyAction, keyAction } from "./grid-keys.ts"
import { type Place, placeAfter } from "./moves.ts"
import type { Cursor } from "./use-cursor.ts"
import type { GridView } from "./use-grid-view.ts"
import type { Selection } from "./use-selection.ts"

interface GridControlsOptions {
  rows: readonly Row[]
  columns: readonly Column[]
  role: Level
  selection: Selection
  actions: CompareActions
  cursor: Cursor
  view: GridView
  editor: RefObject<EditorHandle | null>
  /** The active cell takes the focus. */
  onFocusWanted: () => void
  onUnsaved: GridEvents["onUnsaved"]
}

/** What the mouse and the keys do in the grid. */
export function useGridControls({ rows, columns, role, cursor, view, ...rest }: GridControlsOptions) {
  const { selection, actions, editor, onFocusWanted, onUnsaved } = rest
  const { place, opened, setOpened, rowOf } = cursor

  function go(to: Place) {
    cursor.moveTo(to)
    view.scrollTo(to)
    onFocusWanted()
  }

  /** From an editor, only after what was typed there is saved. */
  async function leaveTo(to: Place, then?: () => void) {
    const isHere = to.row === place.row && to.column === place.column
    if (opened === "editor" && isHere) return
    if (opened === "editor" && !((await editor.current?.commit()) ?? true)) return
    go(to)
    then?.()
  }

  function open(to: Place, what: "editor" | "menu") {
    void leaveTo(to, () => setOpened(what))
  }

  /** Undefined if the key does not move. */
  function placeOnKey(key: string, ctrlKey = false): Place | undefined {
    const size = { rows: rows.length, columns: columns.length, rowsPerPage: view.rowsPerPage() }
    return placeAfter({ key, ctrlKey }, place, size)
  }

  const on = useStable<GridEvents>({
    activate: (name, column) => void leaveTo({ row: rowOf(name), column }),
    edit: (name, column) => open({ row: rowOf(name), column }, "editor"),
    openMenu: (name, column) => open({ row: rowOf(name), column }, "menu"),
    close() {
      setOpened(undefined)
      onFocusWanted()
    },
    closeMenu() {
      // An entry of the menu may have opened the editor instead.
      setOpened((now) => (now === "menu" ? undefined : now))
      onFocusWanted()
    },
    moveOn: (side) => go(placeOnKey(side === "left" ? "ArrowLeft" : "ArrowRight") ?? place),
    select(name, extend) {
      go({ row: rowOf(name), column: 0 })
      selection.toggle(name, extend)
    },
    onUnsaved,
  })
  const onHead = {
    activate: (column: number) => void leaveTo({ row: -1, column }),
    openMenu: (column: number) => open({ row: -1, column }, "menu"),
  }

  function handleKey(event: KeyboardEvent<HTMLDivElement>) {
    // The editor and the menus are not in the grid, but React sends their keys here too.
    if (!(event.target instanceof Node) || !event.currentTarget.contains(event.target)) return
    if (opened !== undefined || event.altKey || event.nativeEvent.isComposing) return

    const ctrlKey = event.ctrlKey || event.metaKey
    const to = placeOnKey(event.key, ctrlKey)
    const at = { row: rows[place.row], column: columns[place.column - 1], role }
    const action = keyAction({ key: event.key, ctrlKey, shiftKey: event.shiftKey }, at)
    if (to === undefined && action === undefined) return

    event.preventDefault()
    if (to !== undefined) go(to)
    else if (action !== undefined) perform(action, { selection, actions, setOpened })
  }

  const showAnswer = useEffectEvent((name: string) => view.scrollTo({ row: rowOf(name), column: 0 }))
  const { answered } = cursor
  useEffect(() => {
    if (answered !== undefined) showAnswer(answered.name)
  }, [answered])

  return { on, onHead, handleKey }
}

interface Performers extends Pick<GridControlsOptions, "selection" | "actions"> {
  setOpened: Cursor["setOpened"]
}

function perform(action: KeyAction, { selection, actions, setOpened }: Performers) {
  switch (action.does) {
    case "openMenu":
      return setOpened("menu")
    case "edit":
      return setOpened("editor")
    case "selectAll":
      return selection.toggleAll()
    case "select":
      return selection.toggle(action.name, action.extend)
    case "copy":
      return void copy(action.text)
    case "revealRow":
      return actions.revealed.toggleRow(action.name)
    case "revealCell":
      return actions.revealed.toggleCell(action.name, action.environment.id)
    case "remove":
      return actions.remove(action.cell, action.environment)
    case "showHistory":
      return actions.showHistory(action.environment, action.name)
  }
}
