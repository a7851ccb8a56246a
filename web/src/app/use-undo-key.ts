import { useEffect } from "react"
import { undoNewest } from "../lib/notify.ts"
import { isCovered, isField } from "../ui/shortcut.ts"

/** Ctrl+Z or Cmd+Z takes back what the last message reports. In a field it takes back what was typed. */
export function useUndoKey(): void {
  useEffect(() => {
    function handle(event: KeyboardEvent) {
      const isUndo =
        (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "z"
      if (!isUndo || isField(event.target) || isCovered()) return
      if (undoNewest()) event.preventDefault()
    }
    addEventListener("keydown", handle)
    return () => removeEventListener("keydown", handle)
  }, [])
}
