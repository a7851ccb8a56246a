import { useEffect } from "react"
import { isFocusInDialog, isFocusLost } from "./focus.ts"

/** What was saved in a dialog is rendered after the dialog has closed, at the latest by this time. */
const settledMs = 100

/**
 * When a dialog closes, returns the focus to the element that had it before, unless the focus is already elsewhere on the
 * page. Mantine does this after a delay and could override a component that moves the focus itself.
 */
export function useReturnFocus(opened: boolean): void {
  useEffect(() => {
    if (!opened) return
    const opener = document.activeElement
    const toggle = opener?.closest("section:has(h2 [aria-expanded])")?.querySelector("h2 [aria-expanded]")
    return () => {
      if (isFocusLost() || isFocusInDialog()) focus(opener)
      // The first items of an environment replace the buttons that offer to add them, and the opener is one of these.
      setTimeout(() => !opener?.isConnected && isFocusLost() && focus(toggle), settledMs)
    }
  }, [opened])
}

function focus(element: Element | null | undefined): void {
  if (element instanceof HTMLElement) element.focus({ preventScroll: true })
}
