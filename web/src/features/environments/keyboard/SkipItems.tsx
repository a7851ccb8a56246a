import type { MouseEvent } from "react"
import { environmentOf, environments, focusSoon } from "./stops.ts"

/** Shown only while it has the focus: a hundred rows are some hundred presses of the Tab key. */
export function SkipItems() {
  function skip(event: MouseEvent<HTMLElement>) {
    const all = environments()
    const current = environmentOf(event.currentTarget)
    const next = current && all[all.indexOf(current) + 1]
    focusSoon(() => next?.querySelector<HTMLElement>("button"))
  }
  return (
    <button type="button" className="skip-items shown-in-focus" onClick={skip}>
      Skip to the next environment
    </button>
  )
}
