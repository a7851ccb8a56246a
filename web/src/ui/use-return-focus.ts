import { useEffect } from "react"
import { isFocusInDialog, isFocusLost } from "./focus.ts"

/**
 * When a dialog closes, returns the focus to the element that had it before, unless the focus is already elsewhere on the
 * page. Mantine does this after a delay and could override a component that moves the focus itself.
 */
export function useReturnFocus(opened: boolean): void {
  useEffect(() => {
    if (!opened) return
    const opener = document.activeElement
    return () => {
      if (opener instanceof HTMLElement && (isFocusLost() || isFocusInDialog())) opener.focus({ preventScroll: true })
    }
  }, [opened])
}
