import { useEffect, useSyncExternalStore } from "react"

// One dialog can be in front of all others, wherever they were opened: keys and clicks are meant for it.

let opened = 0
const listeners = new Set<() => void>()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function change(by: number): void {
  opened += by
  for (const listener of listeners) listener()
}

/** Whether such a dialog is open. `isTop`: this is it, as long as it is open. */
export function useTopDialog(isTop: boolean): boolean {
  useEffect(() => {
    if (!isTop) return
    change(1)
    return () => change(-1)
  }, [isTop])
  return useSyncExternalStore(subscribe, () => opened > 0)
}
