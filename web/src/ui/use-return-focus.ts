import { useEffect } from "react"

/**
 * Gives the focus back to what had it when a dialog closes, unless it has moved on to the page by then. Mantine's own
 * way forgets the opener of a dialog that asks a second question, and of one that is open when it is first rendered.
 */
export function useReturnFocus(opened: boolean): void {
  useEffect(() => {
    if (!opened) return
    const before = document.activeElement instanceof HTMLElement ? document.activeElement : undefined
    return () => {
      setTimeout(() => {
        if (before === undefined || !before.isConnected) return
        const { activeElement: now, body } = before.ownerDocument
        if (now === null || now === body || now.closest('[role="dialog"]') !== null)
          before.focus({ preventScroll: true })
      }, 10)
    }
  }, [opened])
}
