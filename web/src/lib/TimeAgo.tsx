import { useNow } from "./now.ts"
import { exactTime, relativeTime } from "./relative-time.ts"

/** How long ago something was. The exact time is its tooltip. That time passes is not announced. */
export function TimeAgo({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)} aria-live="off">
      {relativeTime(at, useNow())}
    </time>
  )
}
