import { useRef, useState } from "react"
import type { Row } from "./grid.ts"

/** The names that the user has ticked. */
export interface Selection {
  names: ReadonlySet<string>
  /** Whether every listed name is among them. */
  isAll: boolean
  /** With `extend`, all rows from the one that was ticked before. */
  toggle: (name: string, extend: boolean) => void
  toggleAll: () => void
  clear: () => void
}

const none: ReadonlySet<string> = new Set()

export function useSelection(rows: readonly Row[], allRows: readonly Row[]): Selection {
  const [ticked, setTicked] = useState(none)
  const last = useRef<string>(undefined)
  // Others may have deleted some of them.
  const existing =
    ticked.size === 0 ? none : new Set(allRows.map(({ name }) => name).filter((name) => ticked.has(name)))
  return {
    names: existing,
    isAll: rows.length > 0 && existing.size >= rows.length && rows.every(({ name }) => existing.has(name)),
    toggle(name, extend) {
      const next = new Set(existing)
      const from = rows.findIndex((row) => row.name === last.current)
      const to = rows.findIndex((row) => row.name === name)
      if (extend && from !== -1) {
        for (const row of rows.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(row.name)
      } else if (!next.delete(name)) next.add(name)
      last.current = name
      setTicked(next)
    },
    toggleAll() {
      const isAll = rows.every(({ name }) => existing.has(name))
      setTicked(isAll ? none : new Set([...existing, ...rows.map(({ name }) => name)]))
    },
    clear: () => setTicked(none),
  }
}
