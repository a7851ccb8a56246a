import type { Item } from "@envkeep/contract"
import { defaultRangeExtractor, useWindowVirtualizer, type Virtualizer } from "@tanstack/react-virtual"
import { type ReactNode, useLayoutEffect, useRef, useState } from "react"
import { useIsPhone } from "../../ui/use-max-width.ts"
import { type ItemArrival, useArriveAt } from "./use-arrive-at.ts"

/** The height of a row whose value has one line, as in items.css. Rows in view are measured. */
const rowHeightPx = 40
const phoneRowHeightPx = 101

interface VirtualRowsProps {
  rows: Item[]
  /** What the rows are filtered by. Other rows because of another filter start at the top. */
  filter: string
  /** Takes the focus, and is scrolled to. */
  arrival: ItemArrival
  render: (item: Item) => ReactNode
}

/** Renders only the visible rows, so that thousands of items are as fast as ten. */
export function VirtualRows({ rows, filter, arrival, render }: VirtualRowsProps) {
  const list = useRef<HTMLUListElement>(null)
  const top = useOffsetTop(list)
  const [focused, setFocused] = useState<number>()
  const isPhone = useIsPhone()
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (isPhone ? phoneRowHeightPx : rowHeightPx),
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: 4,
    scrollMargin: top,
    // The focused row stays rendered, so that scrolling away does not lose the focus.
    rangeExtractor: (range) => {
      const seen = defaultRangeExtractor(range)
      const keep = rows.findIndex(({ id }) => id === focused)
      return keep === -1 || seen.includes(keep) ? seen : [...seen, keep].sort((a, b) => a - b)
    },
  })
  useKeepPlace(virtual, rows, filter)
  useArriveAt({ virtual, rows, list }, arrival)
  return (
    <ul ref={list} className="items" aria-label="Items" style={{ height: virtual.getTotalSize() }}>
      {virtual.getVirtualItems().map(({ index, key, start }) => {
        const item = rows[index]
        return (
          item && (
            <li
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              data-stop
              tabIndex={-1}
              aria-label={item.name}
              aria-setsize={rows.length}
              aria-posinset={index + 1}
              className="items__row"
              style={{ transform: `translateY(${start - top}px)` }}
              onFocus={() => setFocused(item.id)}
              onBlur={() => setFocused(undefined)}
            >
              {render(item)}
            </li>
          )
        )
      })}
    </ul>
  )
}

/**
 * When rows come or go above the window, because someone else has added or deleted them, scrolls along: what is being
 * read stays where it is. Browsers cannot do it, because the rows are placed by hand.
 */
function useKeepPlace(virtual: Virtualizer<Window, Element>, rows: Item[], filter: string): void {
  const last = useRef<{ rows: Item[]; filter: string; id: number; offset: number }>(undefined)
  useLayoutEffect(() => {
    const offsetOf = ({ start }: { start: number }) => start - virtual.options.scrollMargin
    const place = last.current
    if (place !== undefined && place.rows !== rows && place.filter === filter) {
      const now = virtual.measurementsCache[rows.findIndex(({ id }) => id === place.id)]
      const moved = now === undefined ? 0 : offsetOf(now) - place.offset
      if (moved !== 0) window.scrollBy(0, moved)
    }
    const first = virtual.getVirtualItems().find(({ end }) => end > window.scrollY)
    const id = first && rows[first.index]?.id
    const isAbove = first !== undefined && first.start <= window.scrollY
    last.current = isAbove && id !== undefined ? { rows, filter, id, offset: offsetOf(first) } : undefined
  })
}

/** The distance of the list from the top of the page. It changes when something above the list opens or closes. */
function useOffsetTop(list: React.RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0)
  useLayoutEffect(() => {
    const measure = () => list.current && setTop(Math.round(list.current.getBoundingClientRect().top + window.scrollY))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [list])
  return top
}
