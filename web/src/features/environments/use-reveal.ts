import { type RefObject, useEffect, useRef } from "react"

/** The height of the navigation bar, which stays at the top of the window. */
const barHeightPx = 80

/**
 * Scrolls to a block when it opens or closes: a short one until all of it is in view, a long one until it fills the
 * window. A block that is open from the start is scrolled to only from the top of the page, because otherwise the reader
 * has come back to an earlier position; `isNew` blocks always are.
 */
export function useReveal(expanded: boolean, isNew: boolean): RefObject<HTMLElement | null> {
  const block = useRef<HTMLElement>(null)
  const last = useRef<boolean>(undefined)
  useEffect(() => {
    const isFirst = last.current === undefined
    if (last.current === expanded) return
    last.current = expanded
    if (isFirst && !(expanded && (isNew || window.scrollY === 0))) return
    reveal(block.current)
  }, [expanded, isNew])
  return block
}

function reveal(block: HTMLElement | null): void {
  if (block === null) return
  const fits = block.offsetHeight <= window.innerHeight - barHeightPx
  block.scrollIntoView({ block: fits ? "nearest" : "start" })
}
