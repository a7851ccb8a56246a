import { useEffect, useEffectEvent } from "react"
import { shortcutOf } from "../../ui/shortcut.ts"

interface CompareKeys {
  onSearch: () => void
  onAdd: (() => void) | undefined
  onHelp: () => void
}

/** Single keys that work everywhere on the screen but in a field. */
export function useCompareKeys({ onSearch, onAdd, onHelp }: CompareKeys): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    const key = shortcutOf(event)
    const act = key === "/" ? onSearch : key === "n" ? onAdd : key === "?" ? onHelp : undefined
    if (act === undefined) return
    event.preventDefault()
    act()
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => handle(event)
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [])
}
