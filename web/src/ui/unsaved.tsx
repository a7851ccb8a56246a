import { createContext, type ReactNode, useContext, useEffect, useId, useRef, useState } from "react"
import { useBlocker, useLocation } from "react-router"
import { ConfirmDialog } from "./ConfirmDialog.tsx"

const Report = createContext<(source: string, unsaved: boolean) => void>(() => undefined)
const Asking = createContext(false)

/** Whether the guard around this part is asking: its question stands in front of every other dialog. */
export function useIsGuardAsking(): boolean {
  return useContext(Asking)
}

/** Tells the guard around this part whether it holds edits that leaving the page would lose. */
export function useUnsaved(unsaved: boolean): void {
  const source = useId()
  const report = useContext(Report)
  useEffect(() => {
    report(source, unsaved)
    return () => report(source, false)
  }, [report, source, unsaved])
}

interface UnsavedGuardProps {
  /** False lets go of the page without a question: its content is no longer the reader's to see. */
  active: boolean
  children: ReactNode
}

/** Asks before the page is left while a part of it reports unsaved edits. */
export function UnsavedGuard({ active, children }: UnsavedGuardProps) {
  const [sources, setSources] = useState<ReadonlySet<string>>(new Set())
  const guarding = active && sources.size > 0
  // Whoever chose to leave is not asked again by a quick step back, while this page is still going away. The choice
  // holds for this entry of the history: a logout that fails comes back here under another key.
  const { key } = useLocation()
  const leaving = useRef<string>(undefined)
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      guarding && leaving.current !== currentLocation.key && currentLocation.pathname !== nextLocation.pathname,
  )

  const [report] = useState(() => (source: string, unsaved: boolean) => {
    setSources((held) => {
      if (held.has(source) === unsaved) return held
      const next = new Set(held)
      if (unsaved) next.add(source)
      else next.delete(source)
      return next
    })
  })

  useEffect(() => {
    if (!guarding) return
    // The browser asks in its own words when the tab is closed or reloaded.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener("beforeunload", ask)
    return () => removeEventListener("beforeunload", ask)
  }, [guarding])

  const asking = blocker.state === "blocked"
  return (
    <Report value={report}>
      <Asking value={asking}>{children}</Asking>
      <ConfirmDialog
        opened={asking}
        title="Leave without saving?"
        confirm="Leave"
        cancel="Stay"
        onConfirm={async () => {
          leaving.current = key
          blocker.proceed?.()
        }}
        onClose={() => blocker.state === "blocked" && blocker.reset()}
      >
        There are edits that are not saved yet. Leaving this page discards them.
      </ConfirmDialog>
    </Report>
  )
}
