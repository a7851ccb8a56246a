import { type RefObject, useEffect, useRef } from "react"
import { isFocusLost } from "./focus.ts"

/** For a button that is replaced by the form it opens: it gets the focus back when the form closes. */
export function useRefocus(replaced: boolean): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null)
  const wasReplaced = useRef(replaced)
  useEffect(() => {
    if (wasReplaced.current && !replaced && isFocusLost()) button.current?.focus({ preventScroll: true })
    wasReplaced.current = replaced
  }, [replaced])
  return button
}
