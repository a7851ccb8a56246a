import type { Column } from "./grid.ts"

/** A place in the grid. Row -1 is the head, column 0 has the names. */
export interface Place {
  row: number
  column: number
}

interface Size {
  rows: number
  /** Of environments. */
  columns: number
  /** How many rows fit into the window. */
  rowsPerPage: number
}

/** Where a key moves to from a place. Undefined if it does not move. */
export function placeAfter(
  { key, ctrlKey = false }: { key: string; ctrlKey?: boolean },
  { row, column }: Place,
  { rows, columns, rowsPerPage }: Size,
): Place | undefined {
  const last = rows - 1
  const first = Math.min(0, last)
  switch (key) {
    case "ArrowUp":
      return { row: ctrlKey ? first : Math.max(-1, row - 1), column }
    case "ArrowDown":
      return { row: Math.min(last, ctrlKey ? last : row + 1), column }
    case "ArrowLeft":
      return { row, column: ctrlKey ? 0 : Math.max(0, column - 1) }
    case "ArrowRight":
      return { row, column: ctrlKey ? columns : Math.min(columns, column + 1) }
    case "PageUp":
      return { row: Math.max(first, row - rowsPerPage), column }
    case "PageDown":
      return { row: Math.min(last, row + rowsPerPage), column }
    case "Home":
      return { row: ctrlKey ? first : row, column: 0 }
    case "End":
      return { row: ctrlKey ? last : row, column: columns }
    default:
      return undefined
  }
}

/** The active cell by what it shows, so that it stays the same when rows or columns come and go. */
export interface ActiveCell {
  /** Undefined: the head. */
  name: string | undefined
  /** Undefined: the column with the names. */
  environmentId: number | undefined
}

interface Shown {
  /** The row of each name. */
  indexes: ReadonlyMap<string, number>
  columns: readonly Column[]
  /** Where the active cell was before. */
  last: Place
}

/** The place of a cell. If it is gone, the one that has taken its place. */
export function placeOf({ name, environmentId }: ActiveCell, { indexes, columns, last }: Shown): Place {
  const column = columns.findIndex(({ environment }) => environment.id === environmentId) + 1
  return {
    row: name === undefined ? -1 : (indexes.get(name) ?? Math.min(last.row, indexes.size - 1)),
    column: environmentId === undefined || column > 0 ? column : Math.min(last.column, columns.length),
  }
}
