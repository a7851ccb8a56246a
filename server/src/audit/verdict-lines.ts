import { headText } from "./encode.ts"
import type { AuditVerdict } from "./verify.ts"

/** In plain words; the doctor and the restore say the same. */
export function verdictLines(verdict: AuditVerdict): string[] {
  if (!verdict.isIntact) {
    return [`The audit trail is broken at position ${counted(verdict.position)}: ${verdict.reason}`]
  }
  const { events, head, unchained, start, tooOld } = verdict
  return [
    head === undefined
      ? "The audit trail is intact: it has no chained events yet"
      : `The audit trail is intact: ${counted(events)} ${events === 1 ? "event" : "events"}, head ${headText(head)}`,
    ...(start === 0 ? [] : [`Events up to position ${counted(start)} were deleted because of ENVKEEP_AUDIT_DAYS`]),
    ...(unchained === 0 ? [] : [`Not chained yet: ${counted(unchained)}. A running server does this every second`]),
    ...tooOld.map(
      ({ position }) => `Position ${counted(position)} cannot be compared: it is older than the oldest event`,
    ),
  ]
}

const counted = (count: number) => count.toLocaleString("en-US")
