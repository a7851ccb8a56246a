import type { Revision } from "@envkeep/contract"

type Change = Pick<Revision, "action" | "added" | "changed" | "removed" | "source">

/** The first revision of an environment that is older than the history. */
export function isBeginning({ action }: { action: string }): boolean {
  return action === "history.begin"
}

/** What was done, after the name of who did it: "ann changed 2, added 1". */
export function whatWasDone(change: Change): string {
  const { action, source, added } = change
  const counts = countsOf(change)
  if (action === "environment.create") return "created the environment"
  if (action === "environment.rename") return "renamed the environment"
  if (isBeginning(change)) return `with ${added === 1 ? "1 item" : `${added.toLocaleString("en-US")} items`}`
  if (action === "item.restore") return `restored an item from revision ${source}`
  if (source !== null) return counts === "" ? `restored revision ${source}` : `restored revision ${source}: ${counts}`
  return counts === "" ? "saved the list" : counts
}

/** "changed 2, added 1, removed 3", without what did not happen. */
export function countsOf({ added, changed, removed }: Pick<Change, "added" | "changed" | "removed">): string {
  const part = (done: string, count: number) => (count === 0 ? [] : [`${done} ${count.toLocaleString("en-US")}`])
  return [...part("changed", changed), ...part("added", added), ...part("removed", removed)].join(", ")
}

/** No name: the server did it. */
export function whoDidIt(by: string | null): string {
  return by ?? "Envkeep"
}

/** Consecutive entries of the same day in the reader's time zone. */
export function byDay<Entry extends { at: string }>(entries: readonly Entry[], now = new Date()) {
  const days: { day: string; entries: Entry[] }[] = []
  for (const entry of entries) {
    const day = dayOf(new Date(entry.at), now)
    const last = days.at(-1)
    if (last?.day === day) last.entries.push(entry)
    else days.push({ day, entries: [entry] })
  }
  return days
}

function dayOf(at: Date, now: Date): string {
  const midnight = (date: Date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime()
  // A day with a change of the clock has 23 or 25 hours.
  const daysAgo = Math.round((midnight(now) - midnight(at)) / 86_400_000)
  if (daysAgo <= 0) return "Today"
  if (daysAgo === 1) return "Yesterday"
  const year = at.getFullYear() === now.getFullYear() ? {} : { year: "numeric" as const }
  return at.toLocaleDateString("en-US", { weekday: "long", month: "long", day: "numeric", ...year })
}
