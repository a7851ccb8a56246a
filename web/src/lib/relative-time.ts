const units = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const

const words = new Intl.RelativeTimeFormat("en-US", { numeric: "auto" })

/** To the minute, as the reader's browser writes it. */
export function exactTime(iso: string): string {
  return new Date(iso).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })
}

/** The day, as the reader's browser writes it. */
export function exactDay(iso: string): string {
  return new Date(iso).toLocaleDateString(undefined, { dateStyle: "medium" })
}

/** How long ago something was: "just now", "5 minutes ago", "yesterday". A clock that runs ahead does not matter. */
export function relativeTime(iso: string, now = Date.now()): string {
  const seconds = (now - Date.parse(iso)) / 1_000
  const [unit, length] = units.find(([, length]) => seconds >= length) ?? []
  return unit === undefined ? "just now" : words.format(-Math.floor(seconds / length), unit)
}
