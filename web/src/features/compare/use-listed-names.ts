import { useDeferredValue, useMemo, useState } from "react"
import type { Abouts } from "../names/queries.ts"
import { type Column, type Filter, filters, rowsOf } from "./grid.ts"

/** The names of the columns, and those of them that the user looks for. */
export function useListedNames(columns: readonly Column[], abouts: Abouts) {
  const [added, setAdded] = useState<readonly string[]>([])
  const allRows = useMemo(() => rowsOf(columns, abouts, added), [columns, abouts, added])
  const [text, setText] = useState("")
  const [filter, setFilter] = useState<Filter>("all")
  const sought = useDeferredValue(text).trim().toLowerCase()
  const rows = useMemo(() => {
    const { includes } = filters[filter]
    if (filter === "all" && sought === "") return allRows
    return allRows.filter((row) => includes(row) && row.name.toLowerCase().includes(sought))
  }, [allRows, filter, sought])

  function showAll() {
    setText("")
    setFilter("all")
  }
  /** A row for a name that has no value yet. */
  function add(name: string) {
    showAll()
    setAdded([...added, name])
  }
  return { allRows, rows, text, setText, filter, setFilter, showAll, add }
}
