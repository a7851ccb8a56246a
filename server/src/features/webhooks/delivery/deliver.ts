import { randomUUID } from "node:crypto"
import type { WebhookAttempt } from "@envkeep/contract"
import { theServer } from "../../../access/caller.ts"
import { BoundError } from "../../../bounds/bound-error.ts"
import { createShares } from "../../../bounds/shares.ts"
import type { Core } from "../../../core/core.ts"
import { isOutage } from "../../../db/faults.ts"
import { minuteMs } from "../../../durations.ts"
import { isoTime } from "../../../iso-time.ts"
import { openSecret } from "../../../keys/secrets.ts"
import type { DeliveryRow } from "../delivery-rows.ts"
import { messageOf } from "../message.ts"
import type { AddressPolicy } from "./addresses.ts"
import { type Resolve, resolveByDns } from "./resolve.ts"
import { disableAfterMs, pauseAfter, retryForMs } from "./schedule.ts"
import { type Letter, type Sent, send } from "./send.ts"
import { signatures } from "./sign.ts"
import * as store from "./store.ts"

/** Delivers what waits: each webhook in the order of its events, all webhooks independently of each other. */
export interface Deliverer {
  /** Starts what is due, and does not wait for it. */
  poll(): Promise<void>
  /** Delivers all that is due, and waits until it is. */
  deliverDue(): Promise<void>
  /** Ends what is going on. It is delivered again, by this node or another. */
  stop(): Promise<void>
  counts: DeliveryCounts
}

/** Tries since the process started, by what came of them. */
export interface DeliveryCounts {
  delivered: number
  retried: number
  given_up: number
}

export interface DelivererParts {
  core: Core
  policy: AddressPolicy
  warn(error: unknown, what: string): void
  resolve?: Resolve
  now?: () => number
  timeoutMs?: number
}

/** One owner's receivers that do not answer must not take all places. */
const bounds = { total: 16, perCaller: 4, waitingPerCaller: 64 }
const startedPerPoll = 256

/**
 * How long no other node delivers to a webhook that this one has begun with. Several times as long as it takes: the clocks
 * of two nodes can differ, and the next one must not begin before this one has ended.
 */
const claimMs = 90_000
const runMs = 20_000

const maxKeptAttempts = 20
const ownFaultPauseMs = minuteMs

export function createDeliverer({
  core,
  policy,
  warn,
  resolve = resolveByDns,
  now = Date.now,
  timeoutMs = 10_000,
}: DelivererParts): Deliverer {
  const counts: DeliveryCounts = { delivered: 0, retried: 0, given_up: 0 }
  const shares = createShares(bounds)
  const running = new Map<number, Promise<void>>()
  /** What this node has ended with, but could not release: the database was away. Other nodes wait for it. */
  const unreleased = new Map<number, { claim: store.Claim; state: store.WebhookState }>()
  const stopping = new AbortController()
  let polling: Promise<void> | undefined
  let mustPollAgain = false

  const wake = () => void poll().catch((error: unknown) => warn(error, "could not look for webhooks to deliver to"))
  core.deliveryListeners.push(wake)

  return {
    counts,
    poll,
    async deliverDue() {
      do {
        await poll()
        await Promise.all(running.values())
      } while ((await store.dueWebhooks(core.db, now(), 1)).length > 0)
    },
    async stop() {
      stopping.abort()
      await polling?.catch(() => undefined)
      await Promise.all(running.values())
    },
  }

  /** One at a time. What is queued while it looks is looked for once more. */
  async function poll(): Promise<void> {
    mustPollAgain = true
    polling ??= (async () => {
      while (mustPollAgain && !stopping.signal.aborted) {
        mustPollAgain = false
        for (const [webhookId, { claim, state }] of unreleased) if (!running.has(webhookId)) await release(claim, state)
        for (const webhook of await store.dueWebhooks(core.db, now(), startedPerPoll)) start(webhook)
      }
    })().finally(() => {
      polling = undefined
    })
    await polling
  }

  function start({ id, ownerId }: store.DueWebhook): void {
    if (running.has(id)) return
    const run = shares
      .use(String(ownerId), () => deliverTo(id))
      .catch((error: unknown) => {
        // The next poll finds it again.
        if (!(error instanceof BoundError)) warn(error, "could not deliver to a webhook; retrying")
      })
      .finally(() => running.delete(id))
    running.set(id, run)
  }

  async function deliverTo(webhookId: number): Promise<void> {
    if (stopping.signal.aborted) return
    const claim = { webhookId, claim: randomUUID() }
    const startedAt = now()
    const webhook = await core.bookkeep((tx) =>
      store.claimWebhook(tx, claim, { now: startedAt, endsAt: startedAt + claimMs }),
    )
    if (webhook === undefined) return
    let state: store.WebhookState = { ...webhook, retryAt: null, lastDeliveredAt: null }
    const endsAt = performance.now() + runMs
    try {
      while (state.retryAt === null && performance.now() < endsAt && !stopping.signal.aborted) {
        const delivery = await store.nextDelivery(core.db, webhookId)
        if (delivery === undefined) break
        const tried = await tryOnce(webhook, webhookId, delivery)
        if (tried.fault === "interrupted") break
        if (!(await core.bookkeep((tx) => store.recordOutcome(tx, claim, delivery.id, outcomeOf(delivery, tried)))))
          break
        state = stateAfter(state, tried)
      }
    } catch (error) {
      // Our own fault, not the receiver's: a row, or the root key. When a database that was away is back, nothing is wrong.
      if (!isOutage(error)) state = { ...state, retryAt: now() + ownFaultPauseMs }
      throw error
    } finally {
      await release(claim, state)
    }
    if (state.failingSinceAt !== null && state.failingSinceAt <= now() - disableAfterMs) await disable(webhookId)
    else if (state.retryAt === null && !stopping.signal.aborted) wake()
  }

  async function release(claim: store.Claim, state: store.WebhookState): Promise<void> {
    unreleased.set(claim.webhookId, { claim, state })
    await core.bookkeep((tx) => store.releaseWebhook(tx, claim, state))
    unreleased.delete(claim.webhookId)
  }

  type Tried = Sent & { at: number; durationMs: number }

  async function tryOnce(webhook: store.ClaimedWebhook, webhookId: number, delivery: DeliveryRow): Promise<Tried> {
    const at = now()
    const begun = performance.now()
    const letter = await letterOf(webhook, webhookId, delivery)
    const sent: Sent =
      typeof letter === "string"
        ? { status: null, fault: letter }
        : await send(letter, { policy, resolve, timeoutMs }, stopping.signal)
    return { ...sent, at, durationMs: Math.round(performance.now() - begun) }
  }

  async function letterOf(
    webhook: store.ClaimedWebhook,
    webhookId: number,
    delivery: DeliveryRow,
  ): Promise<Letter | "secret_damaged" | "event_gone"> {
    const message = messageOf(delivery)
    if (message === undefined) return "event_gone"
    const key = await core.vault.dataKey(core.db, webhook.collectionId, webhook.wrappedKey)
    const url = openSecret(key, webhook.sealedUrl, { kind: "webhook-url", webhookId })
    const open = (sealed: Uint8Array) => openSecret(key, sealed, { kind: "webhook-secret", webhookId })
    const current = open(webhook.sealedSecret)
    if (url === null || current === null) return "secret_damaged"
    const { sealedOldSecret: sealedFormer, oldSecretEndsAt: endsAt } = webhook
    const former = sealedFormer !== null && endsAt !== null && endsAt > now() ? open(sealedFormer) : null
    const body = JSON.stringify(message)
    const { messageId } = delivery
    const seconds = Math.floor(now() / 1_000)
    return {
      url: new URL(url),
      headers: {
        "content-type": "application/json",
        "user-agent": "Envkeep-Webhooks",
        "webhook-id": messageId,
        "webhook-timestamp": String(seconds),
        "webhook-signature": signatures(former === null ? [current] : [current, former], {
          messageId,
          seconds,
          body,
        }),
      },
      body,
    }
  }

  function outcomeOf(delivery: DeliveryRow, { status, fault, at, durationMs }: Tried): store.Outcome {
    const attempt: WebhookAttempt = { at: isoTime(at), durationMs, status, fault }
    const attempts = [...delivery.attempts, attempt].slice(-maxKeptAttempts)
    const isDelivered = fault === null
    const isTest = delivery.auditEventId === null
    const isGivenUp = !isDelivered && (isTest || fault === "event_gone" || now() - delivery.createdAt >= retryForMs)
    counts[isDelivered ? "delivered" : isGivenUp ? "given_up" : "retried"]++
    return {
      attempts,
      isDelivered,
      finishedAt: isDelivered || isGivenUp ? now() : null,
      fault: isGivenUp ? fault : null,
    }
  }

  function stateAfter(state: store.WebhookState, { fault, at }: Tried): store.WebhookState {
    if (fault === null) return { failures: 0, failingSinceAt: null, retryAt: null, lastDeliveredAt: now() }
    if (fault === "event_gone") return state
    const failures = state.failures + 1
    return { ...state, failures, failingSinceAt: state.failingSinceAt ?? at, retryAt: now() + pauseAfter(failures) }
  }

  /** Nothing could be delivered for days: the receiver is gone, and its queue would grow for ever. */
  async function disable(webhookId: number): Promise<void> {
    await core.change(theServer, "webhook.disable", async (tx, notes) => {
      const failingBefore = now() - disableAfterMs
      const webhook = await store.disableFailing(tx, webhookId, { now: now(), failingBefore })
      if (webhook === undefined) return notes.nothingChanged()
      counts.given_up += await store.giveUpWaiting(tx, webhookId, { now: now(), fault: "disabled" })
      notes.about({ collectionId: webhook.collectionId, webhookHost: webhook.host })
    })
  }
}
