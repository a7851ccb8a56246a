import { Button } from "@mantine/core"
import { type ComponentType, useEffect, useState } from "react"
import { createPortal } from "react-dom"
import { type FindSlot, useFind } from "../lib/find-window.ts"
import { loadFind } from "./screens.ts"

/** Renders the results into the window of Find, when they are loaded. They navigate, so they belong to the page. */
export function FindResultsLoader() {
  const { slot } = useFind()
  const [Results, setResults] = useState<ComponentType<{ slot: FindSlot }>>()
  const [failed, setFailed] = useState(false)
  const isWanted = slot !== undefined && Results === undefined && !failed

  useEffect(() => {
    if (!isWanted) return
    loadFind().then(
      (loaded) => setResults(() => loaded),
      () => setFailed(true),
    )
  }, [isWanted])
  useEffect(() => {
    if (slot === undefined) setFailed(false)
  }, [slot])

  if (slot === undefined) return null
  if (Results !== undefined) return createPortal(<Results slot={slot} />, slot.body)
  return failed && createPortal(<NotLoaded onRetry={() => setFailed(false)} />, slot.body)
}

function NotLoaded({ onRetry }: { onRetry: () => void }) {
  return (
    <div role="alert" className="find-window__failed">
      Find could not be loaded.
      <Button variant="default" size="xs" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}
