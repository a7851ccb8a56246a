import { type MouseEvent, type RefObject, useState } from "react"
import type { Active, GridEvents } from "./grid-events.ts"

interface GridCellOptions {
  name: string
  /** Its column in the grid. */
  at: number
  active: Active | undefined
  on: GridEvents
}

/** What the cells of names and those of values have in common. The grid handles their keys. */
export function useGridCell({ name, at, active, on }: GridCellOptions) {
  const [isOver, setOver] = useState(false)
  return {
    tabIndex: active === undefined ? -1 : 0,
    attributes: {
      "aria-colindex": at + 1,
      ...(active && { ref: active.cell as RefObject<HTMLDivElement> }),
      onPointerEnter: () => setOver(true),
      onPointerLeave: () => setOver(false),
      onClick: () => on.activate(name, at),
      onContextMenu(event: MouseEvent) {
        event.preventDefault()
        on.openMenu(name, at)
      },
    },
    /** Only then its buttons are rendered: those of all cells would slow scrolling down. */
    hasButtons: isOver || active !== undefined,
  }
}
