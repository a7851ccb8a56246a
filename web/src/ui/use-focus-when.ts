import { type RefObject, useEffect, useEffectEvent, useRef } from "react"

/** Focuses an element when `wanted` becomes true. `onFocused` resets it, so that it happens once. */
export function useFocusWhen<Element extends HTMLElement>(
  wanted: boolean,
  onFocused: () => void,
): RefObject<Element | null> {
  const element = useRef<Element>(null)
  const focused = useEffectEvent(onFocused)
  useEffect(() => {
    if (!wanted) return
    element.current?.focus()
    focused()
  }, [wanted])
  return element
}
