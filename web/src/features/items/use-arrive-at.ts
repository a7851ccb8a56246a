import type { Environment, Item } from "@envkeep/contract"
import { useIsFetching } from "@tanstack/react-query"
import type { Virtualizer } from "@tanstack/react-virtual"
import { type RefObject, useEffect, useEffectEvent } from "react"
import { useArrival } from "../../lib/arrival.ts"
import { keys } from "../../lib/state.ts"

export interface ItemArrival {
  /** The name of the item that the address points to. */
  item: string | undefined
  /** It may be in what is being loaded. */
  mayCome: boolean
  onArrived: () => void
}

export function useItemArrival({ id, collectionId }: Environment): ItemArrival {
  const { item, onArrived } = useArrival(id)
  const mayCome = useIsFetching({ queryKey: keys.collection(collectionId) }) > 0
  return { item, mayCome, onArrived }
}

interface Rows {
  virtual: Virtualizer<Window, Element>
  rows: Item[]
  list: RefObject<HTMLElement | null>
}

/** Scrolls to the row that the address points to, and focuses it, so that the keys of a row work at once. */
export function useArriveAt({ virtual, rows, list }: Rows, { item, mayCome, onArrived }: ItemArrival): void {
  const index = item === undefined ? -1 : rows.findIndex(({ name }) => name === item)
  const arrive = useEffectEvent((): boolean => {
    const row = list.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)
    if (!row) {
      virtual.scrollToIndex(index, { align: "center" })
      return false
    }
    row.focus({ preventScroll: true })
    row.scrollIntoView({ block: "center" })
    onArrived()
    return true
  })
  const giveUp = useEffectEvent(onArrived)
  const isMissing = item !== undefined && index === -1 && !mayCome
  useEffect(() => {
    if (isMissing) giveUp()
  }, [isMissing])
  useEffect(() => {
    if (item === undefined || index === -1) return
    // Not at once: the environment scrolls to its own place when it opens. The row is rendered some frames later.
    const next = () => {
      frame = requestAnimationFrame(() => !arrive() && next())
    }
    let frame = 0
    next()
    return () => cancelAnimationFrame(frame)
  }, [item, index])
}
