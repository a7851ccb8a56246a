import { type RefObject, useEffect, useRef } from "react"

/** Focuses the first field of a page, or its button, when the page opens. */
export function useArrivalFocus<Field extends HTMLElement = HTMLInputElement>(): RefObject<Field | null> {
  const field = useRef<Field>(null)
  useEffect(() => field.current?.focus({ preventScroll: true }), [])
  return field
}
