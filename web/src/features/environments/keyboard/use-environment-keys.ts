import { type RefObject, useEffect, useEffectEvent } from "react"
import { isCovered, shortcutOf } from "../../../ui/shortcut.ts"
import { environmentOf, isStop } from "./stops.ts"

interface EnvironmentKeys {
  environment: RefObject<HTMLElement | null>
  onSaveAll: () => void
  /** Undefined if the user's role does not allow it. */
  onEditName: (() => void) | undefined
}

/** The keys that one environment handles: Ctrl+S or Cmd+S saves its rows, E edits its name while its toggle has the focus. */
export function useEnvironmentKeys({ environment, onSaveAll, onEditName }: EnvironmentKeys): void {
  const handle = useEffectEvent((event: KeyboardEvent) => {
    const focused = environmentOf(document.activeElement)
    if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey && event.key.toLowerCase() === "s") {
      // The browser would save the page.
      event.preventDefault()
      // Without the focus in any environment, all of them are saved.
      if (!isCovered() && (focused === undefined || focused === environment.current)) onSaveAll()
    } else if (
      onEditName !== undefined &&
      focused === environment.current &&
      isToggle(document.activeElement) &&
      shortcutOf(event) === "e"
    ) {
      event.preventDefault()
      onEditName()
    }
  })
  useEffect(() => {
    const listen = (event: KeyboardEvent) => handle(event)
    addEventListener("keydown", listen)
    return () => removeEventListener("keydown", listen)
  }, [])
}

function isToggle(element: Element | null): boolean {
  return isStop(element) && element?.matches("button") === true
}
