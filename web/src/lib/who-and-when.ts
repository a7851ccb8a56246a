import { relativeTime } from "./relative-time.ts"

export type What = "Changed" | "Deleted" | "Renamed"

/** Null is what the history no longer knows. */
export interface Known {
  by: string | null
  at: string | null
}

/** "Changed by ann 5 minutes ago", for a text that does not stay. */
export function whoAndWhen(what: What, known: Known): string {
  return `${who(what, known)}${known.at === null ? "" : ` ${relativeTime(known.at)}`}`
}

/** "Changed by ann". Undefined is still being asked for. */
export function who(what: What, known: Known | null | undefined): string {
  if (known === undefined) return what
  return `${what} ${known?.by == null ? "elsewhere" : `by ${known.by}`}`
}
