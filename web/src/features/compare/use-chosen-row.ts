import { useState } from "react"
import type { Row } from "./grid.ts"

/** The one name that is shown. `asked` is the name to go to after it was added. */
export function useChosenRow(rows: readonly Row[], asked: string | undefined) {
  const [name, setName] = useState(asked)
  const [answered, setAnswered] = useState(asked)
  const [lastIndex, setLastIndex] = useState(0)
  if (asked !== answered) {
    setAnswered(asked)
    setName(asked)
  }
  const found = rows.findIndex((row) => row.name === name)
  // If it is gone, the one that has taken its place.
  const index = found === -1 ? Math.min(lastIndex, rows.length - 1) : found
  if (index !== lastIndex && index >= 0) setLastIndex(index)
  return { row: rows[index], index, choose: setName }
}
