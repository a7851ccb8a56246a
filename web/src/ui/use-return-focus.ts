import { useEffect } from "react"
import { isFocusInDialog, isFocusLost } from "./focus.ts"

/** What was saved in a dialog is rendered after the dialog has closed, at the latest by this time. */
const settledMs = 100

/** The button that opens an environment, or the heading of a section. */
const focusableHeading = "h2 [aria-expanded], h2[tabindex]"

/**
 * When a dialog closes, returns the focus to the element that had it before, unless the focus is already elsewhere on the
 * page. Mantine does this after a delay and could override a component that moves the focus itself.
 */
export function useReturnFocus(opened: boolean): void {
  useEffect(() => {
    if (!opened) return
    // The page may be gone when the time is over.
    const page = document
    const opener = openerIn(page)
    const heading = opener?.closest(`section:has(${focusableHeading})`)?.querySelector(focusableHeading)
    return () => {
      if (isFocusLost() || isFocusInDialog()) focus(opener)
      // The dialog has removed the row with its opener, or something has replaced it.
      setTimeout(() => !opener?.isConnected && isFocusLost(page) && focus(heading), settledMs)
    }
  }, [opened])
}

let lastFocused: Element | null = null
addEventListener("focusin", ({ target }) => {
  lastFocused = target instanceof Element ? target : null
})

/** A menu closes when its dialog opens. It may be gone already, and may not have given the focus back to its button yet. */
function openerIn(page: Document): Element | null {
  const focused = lastFocused?.isConnected === false && isFocusLost(page) ? lastFocused : page.activeElement
  const button = focused?.closest('[role="menu"]')?.getAttribute("aria-labelledby")
  return (button && page.getElementById(button)) || focused
}

function focus(element: Element | null | undefined): void {
  if (element && "focus" in element) (element as HTMLElement).focus({ preventScroll: true })
}
