import type { ListedRevision } from "@envkeep/contract"
import { dayMs } from "../../lib/durations.ts"
import { counted, formatNumber } from "../../ui/counts.ts"

type Change = Pick<
  ListedRevision,
  "action" | "added" | "changed" | "removed" | "source" | "sourceEnvironment" | "names" | "baseId"
>

/** The first revision of an environment that is older than the history. */
export function isBeginning({ action }: { action: string }): boolean {
  return action === "history.begin"
}

/** The revision only passes on a change of what the environment inherits from. */
export function isInherited({ action }: { action: string }): boolean {
  return action === "environment.inherit"
}

/** What was done, after the name of who did it: "ann changed PORT", "ann changed 20, added 1". */
export function whatWasDone(change: Change, environmentNames: ReadonlyMap<number, string>): string {
  const { action, source, sourceEnvironment, added, names } = change
  const base = baseName(change, environmentNames)
  const counts = namedChange(change) ?? countsOf(change)
  if (action === "environment.create") return "created the environment"
  if (action === "environment.rename") return "renamed the environment"
  if (action === "environment.rebase") {
    const rebased = base === undefined ? "ended the inheritance" : `made it inherit from ${base}`
    return counts === "" ? rebased : `${rebased}: ${counts}`
  }
  if (isBeginning(change)) return `with ${counted(added, "item")}`
  if (sourceEnvironment !== null) return `copied from ${sourceEnvironment.name}, revision ${source}: ${counts}`
  if (action === "collection.duplicate") return "duplicated another collection"
  if (action === "item.restore") return `restored ${names[0]?.name ?? "an item"} from revision ${source}`
  if (source !== null) return counts === "" ? `restored revision ${source}` : `restored revision ${source}: ${counts}`
  return counts === "" ? "saved the list" : counts
}

/** Undefined if the revision inherited from none. */
export function baseName(
  { baseId }: Pick<Change, "baseId">,
  environmentNames: ReadonlyMap<number, string>,
): string | undefined {
  return baseId === null ? undefined : (environmentNames.get(baseId) ?? "a deleted environment")
}

/** With the names. Undefined if they are not known, or if different things were done to them. */
function namedChange({ added, changed, removed, names }: Change): string | undefined {
  const done = [changed > 0 && "changed", added > 0 && "added", removed > 0 && "removed"].filter(Boolean)
  const [first, ...others] = names
  if (first === undefined || done.length !== 1) return undefined
  if (others.length === 0 && first.previousName !== null) return `renamed ${first.previousName} to ${first.name}`
  return `${done[0]} ${new Intl.ListFormat("en-GB").format(names.map(({ name }) => name))}`
}

/** "changed 2, added 1, removed 3", without what did not happen. */
function countsOf({ added, changed, removed }: Pick<Change, "added" | "changed" | "removed">): string {
  const part = (done: string, count: number) => (count === 0 ? [] : [`${done} ${formatNumber(count)}`])
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
  const daysAgo = Math.round((midnight(now) - midnight(at)) / dayMs)
  if (daysAgo <= 0) return "Today"
  if (daysAgo === 1) return "Yesterday"
  const year = at.getFullYear() === now.getFullYear() ? {} : { year: "numeric" as const }
  return at.toLocaleDateString("en-US", { weekday: "long", month: "long", day: "numeric", ...year })
}
