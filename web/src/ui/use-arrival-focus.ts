import { type RefObject, useEffect, useRef } from "react"

/** Focuses the first field of a page when the page opens. */
export function useArrivalFocus(): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus({ preventScroll: true }), [])
  return field
}
