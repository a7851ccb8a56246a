import type { Ref, RefObject } from "react"
import type { EditorHandle } from "./CellEditor.tsx"

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
