import type { Environment, Level } from "@envkeep/contract"
import { canEdit } from "./cell-actions.ts"
import { type Cell, type Column, cellOf, type Row } from "./grid.ts"

/** What a key does at the active cell, where it does not move to another one. */
export type KeyAction =
  | { does: "openMenu" | "edit" | "selectAll" }
  | { does: "select"; name: string; extend: boolean }
  | { does: "copy"; text: string }
  | { does: "revealRow"; name: string }
  | { does: "revealCell" | "showHistory"; name: string; environment: Environment }
  | { does: "remove"; cell: Cell; environment: Environment }

export interface Stroke {
  key: string
  ctrlKey: boolean
  shiftKey: boolean
}

interface KeyContext {
  /** Undefined: the head. */
  row: Row | undefined
  /** Undefined: the column with the names. */
  column: Column | undefined
  role: Level
}

/** Undefined if the key does nothing here. */
export function keyAction(stroke: Stroke, { row, column, role }: KeyContext): KeyAction | undefined {
  if (row === undefined) return headAction(stroke, column)
  if (isMenuKey(stroke)) return { does: "openMenu" }
  if (column === undefined) return nameAction(stroke, row.name)
  return cellAction(stroke, { name: row.name, column, role })
}

function headAction(stroke: Stroke, column: Column | undefined): KeyAction | undefined {
  if (column === undefined) return stroke.key === " " ? { does: "selectAll" } : undefined
  return stroke.key === "Enter" || isMenuKey(stroke) ? { does: "openMenu" } : undefined
}

function nameAction({ key, ctrlKey, shiftKey }: Stroke, name: string): KeyAction | undefined {
  if (key === " ") return { does: "select", name, extend: shiftKey }
  if (key === "Enter") return { does: "openMenu" }
  if (key === "c" && ctrlKey) return { does: "copy", text: name }
  return undefined
}

interface CellContext {
  name: string
  column: Column
  role: Level
}

function cellAction(stroke: Stroke, { name, column, role }: CellContext): KeyAction | undefined {
  const { key, ctrlKey, shiftKey } = stroke
  const { environment } = column
  const cell = cellOf(column, name)
  const mayEdit = canEdit(role, environment)

  if (key === "Enter" || key === "F2") return { does: mayEdit ? "edit" : "openMenu" }
  if (key === " ") return shiftKey ? { does: "revealRow", name } : { does: "revealCell", name, environment }
  if (key === "Delete" && mayEdit && cell.item !== undefined) return { does: "remove", cell, environment }
  if (key === "c" && ctrlKey && cell.value !== null) return { does: "copy", text: cell.value }
  if (key.toLowerCase() === "h" && !ctrlKey) return { does: "showHistory", name, environment }
  return undefined
}

function isMenuKey({ key, shiftKey }: Stroke): boolean {
  return key === "ContextMenu" || (key === "F10" && shiftKey)
}
