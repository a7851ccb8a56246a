import { useEffect } from "react"
import { undoNewest } from "../lib/notify.ts"
import { isCovered, isField } from "../ui/shortcut.ts"

/** Ctrl+Z or Cmd+Z takes back what the last message reports. In a field it first takes back what was typed there. */
export function useUndoKey(): void {
  useEffect(() => {
    function handle(event: KeyboardEvent) {
      const isUndo =
        (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "z"
      if (!isUndo || isCovered()) return
      if (isField(event.target) && hasTyped()) undoUnlessTextChanges(event.target)
      else if (undoNewest()) event.preventDefault()
    }
    addEventListener("keydown", handle)
    return () => removeEventListener("keydown", handle)
  }, [])
}

/** Whether the browser has something of its own to take back. No other function tells. */
function hasTyped(): boolean {
  return document.queryCommandEnabled("undo")
}

/** What was typed before a save may be gone from the field. The browser then still takes it back, and nothing changes. */
function undoUnlessTextChanges(field: EventTarget | null): void {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement)) return
  const { value } = field
  const settle = (event: Event) => {
    if (event instanceof InputEvent && event.inputType === "historyUndo" && field.value === value) undoNewest()
  }
  // Before the screen answers the event, which may change the text too.
  addEventListener("input", settle, { capture: true, once: true })
}
