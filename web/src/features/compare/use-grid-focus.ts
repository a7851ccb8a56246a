import { type RefObject, useLayoutEffect, useRef, useState } from "react"

/** Focuses the active cell when it is wanted, and when the cell that had the focus was removed. */
export function useGridFocus(scroller: RefObject<HTMLElement | null>, cell: RefObject<HTMLElement | null>) {
  const isWanted = useRef(false)
  const isInside = useRef(false)

  useLayoutEffect(() => {
    const isLost = isInside.current && document.activeElement === document.body
    if (!isWanted.current && !isLost) return
    isWanted.current = false
    if (scroller.current?.contains(cell.current)) cell.current?.focus({ preventScroll: true })
  })

  const [handlers] = useState(() => ({
    want: () => {
      isWanted.current = true
    },
    onFocus: () => {
      isInside.current = true
    },
    onBlur: ({ relatedTarget }: { relatedTarget: EventTarget | null }) => {
      // Nothing else has the focus: the cell may have been removed.
      if (relatedTarget !== null) isInside.current = false
    },
  }))
  return handlers
}
