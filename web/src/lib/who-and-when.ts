import { relativeTime } from "./relative-time.ts"

/** "Changed by ann 5 minutes ago". Without what the history no longer knows. */
export function whoAndWhen(
  what: "changed" | "deleted" | "renamed",
  known: { by: string | null; at: string | null } | null | undefined,
): string {
  const verb = `${what[0]?.toUpperCase()}${what.slice(1)}`
  const who = known?.by == null ? " elsewhere" : ` by ${known.by}`
  return `${verb}${who}${known?.at == null ? "" : ` ${relativeTime(known.at)}`}`
}
