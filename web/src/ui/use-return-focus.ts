import { useEffect } from "react"

/**
 * Gives the focus back to what had it when a dialog closes, unless it has moved on to the page by then. Mantine's own
 * way forgets the opener of a dialog that asks a second question, and of one that is open when it is first rendered.
 */
export function useReturnFocus(opened: boolean): void {
  useEffect(() => {
    if (!opened) return
    const before = document.activeElement
    return () => {
      setTimeout(() => {
        const now = document.activeElement
        const isLost = now === null || now === document.body || now.closest('[role="dialog"]') !== null
        if (isLost && before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
      }, 10)
    }
  }, [opened])
}
