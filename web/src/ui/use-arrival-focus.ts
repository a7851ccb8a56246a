import { type RefObject, useEffect, useRef } from "react"

/** For the field where the work on a page begins: it has the cursor from the start. */
export function useArrivalFocus(): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus({ preventScroll: true }), [])
  return field
}
