import { useEffect } from "react"
import { isFocusInDialog, isFocusLost } from "./focus.ts"

/**
 * Gives the focus back to what had it when a dialog closes, unless it is already elsewhere on the page. Mantine does
 * this after a pause, in which a component that moves the focus itself could be overruled.
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
