import { createContext, type ReactNode, useContext, useEffect, useId, useRef, useState } from "react"
import { useBlocker, useLocation } from "react-router"
import { ConfirmDialog } from "./ConfirmDialog.tsx"

const Report = createContext<(source: string, unsaved: boolean) => void>(() => undefined)
const Asking = createContext(false)

/** Whether the guard is asking its question, which is in front of every other dialog. */
export function useIsGuardAsking(): boolean {
  return useContext(Asking)
}

/** Tells the guard whether this component has edits that would be lost by leaving the page. */
export function useUnsaved(unsaved: boolean): void {
  const source = useId()
  const report = useContext(Report)
  useEffect(() => {
    report(source, unsaved)
    return () => report(source, false)
  }, [report, source, unsaved])
}

interface UnsavedGuardProps {
  /** False lets the user leave without a question, because the session has ended. */
  active: boolean
  children: ReactNode
}

/** Asks before the user leaves a page on which a component reports unsaved edits. */
export function UnsavedGuard({ active, children }: UnsavedGuardProps) {
  const [sources, setSources] = useState<ReadonlySet<string>>(new Set())
  const guarding = active && sources.size > 0
  // After choosing to leave, a quick step back must not ask again while this page is still closing. The choice is valid
  // for this history entry only: a logout that fails returns here under another key.
  const { key } = useLocation()
  const leaving = useRef<string>(undefined)
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      guarding && leaving.current !== currentLocation.key && currentLocation.pathname !== nextLocation.pathname,
  )

  const [report] = useState(() => (source: string, unsaved: boolean) => {
    setSources((current) => {
      if (current.has(source) === unsaved) return current
      const next = new Set(current)
      if (unsaved) next.add(source)
      else next.delete(source)
      return next
    })
  })

  useEffect(() => {
    if (!guarding) return
    // When the tab is closed or reloaded, the browser asks with its own message.
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener("beforeunload", ask)
    return () => removeEventListener("beforeunload", ask)
  }, [guarding])

  const asking = blocker.state === "blocked"
  useEffect(() => {
    // What was being saved when the user left is saved now, so nothing would be lost.
    if (blocker.state === "blocked" && !guarding) blocker.proceed()
  }, [blocker, guarding])
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
        You have unsaved edits. Leaving this page discards them.
      </ConfirmDialog>
    </Report>
  )
}
