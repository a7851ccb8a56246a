import type { Snapshot } from "./cache.ts"
import { select, unknownNames } from "./select.ts"
import type { Settings } from "./settings.ts"

/**
 * Takes each new state of an environment, and passes on those in which the variables that were asked for have changed. A
 * program that asked for a variable by name must not go on without it, so while one is missing it keeps what it has.
 */
export function passChanges(
  settings: Pick<Settings, "only" | "except" | "warn">,
  start: Snapshot,
  onChange: (snapshot: Snapshot) => void,
): (next: Snapshot) => void {
  let seen = contents(start)
  let passedOn = seen
  return (next) => {
    // A new revision may have the same values: renaming the environment makes one too.
    const now = contents(next)
    if (now === seen) return
    seen = now
    const missing = unknownNames(settings.only, next)
    if (missing !== "") {
      settings.warn(`the environment no longer has the variable ${missing}: the last good values stay in use`)
      return
    }
    // A variable that was deleted may be back with the same value.
    if (now === passedOn) return
    passedOn = now
    onChange(next)
  }

  function contents(snapshot: Snapshot): string {
    const { variables, damaged } = select(settings, snapshot)
    return JSON.stringify([variables, damaged])
  }
}
