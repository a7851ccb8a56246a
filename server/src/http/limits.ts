import { sentences } from "@envkeep/contract"
import { BoundError } from "../bounds/bound-error.ts"
import { steadyNow } from "../db/clock.ts"
import { minuteMs } from "../durations.ts"

const windowMs = minuteMs
const maxPerWindow = 60_000
const maxCallers = 100_000

/** Throws if a caller has sent too many requests. */
export type RequestLimit = (caller: string) => void

/**
 * Stops a script that runs out of control; nothing else sends a thousand requests a second for a minute. Counted per
 * node, because it protects the node. Password guesses are counted in the database.
 */
export function requestLimit(max = maxPerWindow): RequestLimit {
  let counts = new Map<string, number>()
  let endsAt = 0
  return (caller) => {
    const now = steadyNow()
    if (now >= endsAt || counts.size >= maxCallers) {
      counts = new Map()
      endsAt = now + windowMs
    }
    const count = (counts.get(caller) ?? 0) + 1
    counts.set(caller, count)
    if (count > max) {
      const retryAfterSeconds = Math.ceil((endsAt - now) / 1000)
      throw new BoundError("requests_per_minute", "too_many", sentences.tooManyRequests, retryAfterSeconds)
    }
  }
}
