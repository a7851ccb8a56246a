import { useEffect, useEffectEvent, useState } from "react"

/**
 * Takes files that are dropped anywhere on the window, and tells while some are held over it. Anywhere, because a file
 * dropped beside its target makes the browser leave the page to show it.
 */
export function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [over, setOver] = useState(false)
  const take = useEffectEvent(onFiles)
  useEffect(() => {
    const listening = new AbortController()
    const on = (kind: "dragover" | "dragleave" | "drop", act: (event: DragEvent) => void) =>
      addEventListener(kind, act, { signal: listening.signal })

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
      take([...(event.dataTransfer?.files ?? [])])
    })
    return () => listening.abort()
  }, [])
  return over
}

/** Text that is dragged into a field is the browser's own business. */
function holdsFiles(event: DragEvent): boolean {
  return event.dataTransfer?.types.includes("Files") ?? false
}
