import { useMemo, useState } from "react"
import { useMaskWhenIdle } from "../../lib/mask-after.ts"

interface Revealed {
  all: boolean
  /** The names of the rows that do the opposite. */
  rows: ReadonlySet<string>
  /** The cells that do the opposite of their row. */
  cells: ReadonlySet<string>
}

const nothing: Revealed = { all: false, rows: new Set(), cells: new Set() }

/** Which values are shown. It is kept in memory only, and they are masked again after some minutes without use. */
export function useRevealedCells() {
  const [revealed, setRevealed] = useState(nothing)
  const { all, rows, cells } = revealed
  useMaskWhenIdle(all || rows.size > 0 || cells.size > 0, () => setRevealed(nothing))

  const [on] = useState(() => ({
    toggleAll: () => setRevealed((now) => ({ ...nothing, all: !now.all })),
    toggleRow: (name: string) =>
      setRevealed((now) => ({ ...now, rows: toggled(now.rows, name), cells: withoutRow(now.cells, name) })),
    toggleCell: (name: string, environmentId: number) =>
      setRevealed((now) => ({ ...now, cells: toggled(now.cells, keyOf(name, environmentId)) })),
  }))
  return useMemo(() => {
    const isRowShown = (name: string) => all !== rows.has(name)
    const isShown = (name: string, environmentId: number) => cells.has(keyOf(name, environmentId)) !== isRowShown(name)
    return { ...on, all, isRowShown, isShown }
  }, [on, all, rows, cells])
}

export type RevealedCells = ReturnType<typeof useRevealedCells>

function keyOf(name: string, environmentId: number): string {
  return `${environmentId} ${name}`
}

function toggled(set: ReadonlySet<string>, entry: string): ReadonlySet<string> {
  const next = new Set(set)
  if (!next.delete(entry)) next.add(entry)
  return next
}

function withoutRow(cells: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return new Set([...cells].filter((key) => key.slice(key.indexOf(" ") + 1) !== name))
}
