import type { WebhookAttempt } from "@envkeep/contract"
import { isoTime } from "../../../iso-time.ts"
import type { DeliveryRow } from "../delivery-rows.ts"
import { disableAfterMs, pauseAfter, retryForMs } from "./schedule.ts"
import type { Sent } from "./send.ts"
import type { Outcome, WebhookState } from "./store.ts"

const maxKeptAttempts = 20

/** One try, and when it began. */
export interface Tried extends Sent {
  at: number
  durationMs: number
}

/** What becomes of a message after a try. */
export function outcomeOf(delivery: DeliveryRow, { status, fault, at, durationMs }: Tried, now: number): Outcome {
  const attempt: WebhookAttempt = { at: isoTime(at), durationMs, status, fault }
  const attempts = [...delivery.attempts, attempt].slice(-maxKeptAttempts)
  if (fault === null) return { attempts, isDelivered: true, finishedAt: now, fault: null }

  const isTest = delivery.auditEventId === null
  const isGivenUp = isTest || fault === "event_gone" || now - delivery.createdAt >= retryForMs
  return { attempts, isDelivered: false, finishedAt: isGivenUp ? now : null, fault: isGivenUp ? fault : null }
}

/** What becomes of its webhook. */
export function stateAfter(state: WebhookState, { fault, at }: Tried, now: number): WebhookState {
  if (fault === null) return { failures: 0, failingSinceAt: null, retryAt: null, lastDeliveredAt: now }
  if (fault === "event_gone") return state

  const failures = state.failures + 1
  return { ...state, failures, failingSinceAt: state.failingSinceAt ?? at, retryAt: now + pauseAfter(failures) }
}

/** Nothing could be delivered for days: the receiver is gone, and its queue would grow for ever. */
export function isGone({ failingSinceAt }: WebhookState, now: number): boolean {
  return failingSinceAt !== null && failingSinceAt <= now - disableAfterMs
}
