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
