import { useEffect, useEffectEvent, useState } from "react"

/**
 * Accepts files dropped anywhere on the window, and returns true while files are dragged over it. The whole window,
 * because a browser leaves the page to open a file that is dropped next to its target.
 */
export function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [over, setOver] = useState(false)
  const accept = useEffectEvent(onFiles)
  useEffect(() => {
    const listening = new AbortController()
    const on = (kind: "dragover" | "dragleave" | "drop", handle: (event: DragEvent) => void) =>
      addEventListener(kind, handle, { signal: listening.signal })

    on("dragover", (event) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      setOver(true)
    })
    on("dragleave", (event) => event.relatedTarget === null && setOver(false))
    on("drop", (event) => {
      setOver(false)
      if (!holdsFiles(event)) return
      event.preventDefault()
      accept([...(event.dataTransfer?.files ?? [])])
    })
    return () => listening.abort()
  }, [])
  return over
}

/** Text dragged into a field is left to the browser. */
function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false
}
