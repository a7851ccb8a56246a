import type { ApiKey, KeyRefusal } from "@envkeep/contract"
import { dayMs, minuteMs } from "../../lib/durations.ts"

/** Keys that expire sooner are marked. */
const soonDays = 7

export interface KeyBadge {
  label: string
  isWarning: boolean
}

/** What is special about a key, in a few words each. */
export function badgesOf(apiKey: ApiKey, now = Date.now()): KeyBadge[] {
  const { disabledAt, expiresAt, replacedById, allowedAddresses, lastRefusedAt } = apiKey
  // It may have expired since it was read.
  const isExpired = apiKey.isExpired || (expiresAt !== null && Date.parse(expiresAt) <= now)
  const badges: (KeyBadge | false)[] = [
    replacedById !== null && { label: "Replaced", isWarning: false },
    disabledAt !== null && { label: "Disabled", isWarning: true },
    isExpired && { label: "Expired", isWarning: true },
    !isExpired && expiresAt !== null && expiryBadge(Date.parse(expiresAt) - now),
    allowedAddresses.length > 0 && { label: "Limited to addresses", isWarning: false },
    lastRefusedAt !== null &&
      now - Date.parse(lastRefusedAt) < soonDays * dayMs && { label: "Refused lately", isWarning: true },
  ]
  return badges.filter((badge) => badge !== false)
}

function expiryBadge(leftMs: number): KeyBadge {
  return { label: `Expires ${fromNow(leftMs)}`, isWarning: leftMs <= soonDays * dayMs }
}

const words = new Intl.RelativeTimeFormat("en-US", { numeric: "always" })

/** "in 3 days", "in 5 hours". Never more than there is. */
function fromNow(ms: number): string {
  const minutes = Math.max(1, Math.floor(ms / minuteMs))
  if (minutes < 60) return words.format(minutes, "minute")
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? words.format(hours, "hour") : words.format(Math.floor(hours / 24), "day")
}

export const refusalWords: Record<KeyRefusal, string> = {
  expired: "expired",
  disabled: "disabled",
  address: "address not allowed",
}
