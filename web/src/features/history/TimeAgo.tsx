import { exactTime, relativeTime } from "../../lib/relative-time.ts"

/** How long ago something was. The exact time is its tooltip. */
export function TimeAgo({ at }: { at: string }) {
  return (
    <time dateTime={at} title={exactTime(at)}>
      {relativeTime(at)}
    </time>
  )
}
