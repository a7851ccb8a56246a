import { relativeTime } from "./relative-time.ts"

interface Known {
  by: string | null
  at: string | null
}

/** "Changed by ann 5 minutes ago". Without what the history no longer knows, or is still being asked for (undefined). */
export function whoAndWhen(what: "Changed" | "Deleted" | "Renamed", known: Known | null | undefined): string {
  if (known === undefined) return what
  const who = known?.by == null ? "elsewhere" : `by ${known.by}`
  return `${what} ${who}${known?.at == null ? "" : ` ${relativeTime(known.at)}`}`
}
