import { useQueryClient } from "@tanstack/react-query"
import { useEffect, useRef } from "react"
import { useLocation } from "react-router"
import { openedBy, openedQuery, withNewest } from "../lib/opened.ts"
import { useUser } from "../lib/state.ts"

/** Notes what is opened, however it is opened: everything has an address. */
export function useNoteOpened(): void {
  const client = useQueryClient()
  const location = useLocation()
  const isUser = useUser() !== null
  const before = useRef<typeof location>(undefined)
  useEffect(() => {
    if (!isUser) {
      before.current = undefined
      return
    }
    const opened = openedBy(before.current, location)
    before.current = location
    if (opened.length === 0) return
    client.setQueryData(openedQuery.queryKey, (known = []) => opened.reduce(withNewest, known))
  }, [client, isUser, location])
}
