import { defaultRangeExtractor, type Range, useVirtualizer } from "@tanstack/react-virtual"
import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from "react"
import type { Column, Row } from "./grid.ts"
import type { Place } from "./moves.ts"

/** As in the style sheet. */
export const rowHeightPx = 40
export const headHeightPx = 56
const nameWidthPx = 280
const minColumnWidthPx = 210

interface GridViewOptions {
  rows: readonly Row[]
  columns: readonly Column[]
  /** The active cell, which is always rendered. */
  place: Place
}

/** Which rows and columns are in view, and where they are. */
export function useGridView({ rows, columns, place }: GridViewOptions) {
  const scroller = useRef<HTMLDivElement>(null)
  const width = useWidth(scroller)
  const columnWidthPx = Math.max(minColumnWidthPx, (width - nameWidthPx) / columns.length)

  const down = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeightPx,
    getItemKey: useCallback((index: number) => rows[index]?.name ?? index, [rows]),
    overscan: 8,
    useScrollendEvent: true,
    scrollMargin: headHeightPx,
    scrollPaddingStart: headHeightPx,
    rangeExtractor: (range) => withIndex(range, place.row),
  })
  const across = useVirtualizer({
    horizontal: true,
    count: columns.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => columnWidthPx,
    getItemKey: useCallback((index: number) => columns[index]?.environment.id ?? index, [columns]),
    overscan: 1,
    useScrollendEvent: true,
    paddingStart: nameWidthPx,
    scrollPaddingStart: nameWidthPx,
    rangeExtractor: (range) => withIndex(range, place.column - 1),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: it measures by this width.
  useLayoutEffect(() => across.measure(), [across, columnWidthPx])

  const indexesInView = across.getVirtualIndexes().join()
  // The same list until other columns come into view, so that rows do not render again while the grid scrolls.
  const inView = useMemo(() => {
    const indexes = indexesInView === "" ? [] : indexesInView.split(",").map(Number)
    return indexes.map((index) => ({ index, start: nameWidthPx + index * columnWidthPx, size: columnWidthPx }))
  }, [indexesInView, columnWidthPx])

  return {
    scroller,
    inView,
    rowsInView: down.getVirtualItems(),
    size: { width: across.getTotalSize(), height: rows.length * rowHeightPx },
    rowsPerPage: () => rowsThatFit(scroller.current?.clientHeight ?? 0),
    scrollTo(to: Place) {
      if (to.row >= 0) down.scrollToIndex(to.row)
      if (to.column > 0) across.scrollToIndex(to.column - 1)
    },
  }
}

export type GridView = ReturnType<typeof useGridView>

function rowsThatFit(heightPx: number): number {
  return Math.max(1, Math.floor((heightPx - headHeightPx) / rowHeightPx) - 1)
}

/** Adds the index of what is active, so that scrolling away does not lose the focus. */
function withIndex(range: Range, index: number): number[] {
  const seen = defaultRangeExtractor(range)
  if (index < 0 || index >= range.count || seen.includes(index)) return seen
  return [...seen, index].sort((one, other) => one - other)
}

function useWidth(element: RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const measure = () => element.current && setWidth(element.current.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    if (element.current) observer.observe(element.current)
    return () => observer.disconnect()
  }, [element])
  return width
}
