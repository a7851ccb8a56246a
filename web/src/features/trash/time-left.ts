import { dayMs } from "../../lib/durations.ts"
import { formatNumber, plural } from "../../ui/counts.ts"

/** When something in the trash is deleted forever, in words. The server looks every minute, but can have much to do. */
export function timeLeft(expiresAt: string | null, now = Date.now()): string {
  if (expiresAt === null) return "kept until you delete it"
  const days = Math.ceil((Date.parse(expiresAt) - now) / dayMs)
  if (days < 1) return "deleted forever within the hour"
  return plural(days, "deleted forever in less than a day", `deleted forever in ${formatNumber(days)} days`)
}

/** For how long what is deleted now can be restored. Undefined if that is not known yet, null if there is no limit. */
export function restorableFor(keptDays: number | null | undefined): string {
  if (keptDays == null) return "It can be restored from there."
  return `It can be restored from there for ${plural(keptDays, "a day", `${formatNumber(keptDays)} days`)}.`
}
