import { randomUUID } from "node:crypto"
import { theServer } from "../../../access/caller.ts"
import { BoundError } from "../../../bounds/bound-error.ts"
import { Shares } from "../../../bounds/shares.ts"
import type { Core } from "../../../core/core.ts"
import { isOutage } from "../../../db/faults.ts"
import { minuteMs } from "../../../durations.ts"
import type { DeliveryRow } from "../delivery-rows.ts"
import type { AddressPolicy } from "./addresses.ts"
import { letterOf } from "./letter.ts"
import { isGone, outcomeOf, stateAfter, type Tried } from "./outcome.ts"
import { type Resolve, resolveByDns } from "./resolve.ts"
import { disableAfterMs } from "./schedule.ts"
import { type Sender, send } from "./send.ts"
import * as store from "./store.ts"

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

const ownFaultPauseMs = minuteMs

/** Delivers what waits: each webhook in the order of its events, all webhooks independently of each other. */
export class Deliverer {
  readonly counts: DeliveryCounts = { delivered: 0, retried: 0, given_up: 0 }
  readonly #core: Core
  readonly #sender: Sender
  readonly #warn: DelivererParts["warn"]
  readonly #now: () => number
  readonly #shares = new Shares(bounds)
  readonly #running = new Map<number, Promise<void>>()
  /** What this node has ended with, but could not release: the database was away. Other nodes wait for it. */
  readonly #unreleased = new Map<number, { claim: store.Claim; state: store.WebhookState }>()
  readonly #stopping = new AbortController()
  #polling: Promise<void> | undefined
  #mustPollAgain = false

  constructor({ core, policy, warn, resolve = resolveByDns, now = Date.now, timeoutMs = 10_000 }: DelivererParts) {
    this.#core = core
    this.#sender = { policy, resolve, timeoutMs }
    this.#warn = warn
    this.#now = now
    core.deliveryListeners.push(() => this.#wake())
  }

  /** Starts what is due, and does not wait for it. One look at a time: what is queued during it is looked for once more. */
  async poll(): Promise<void> {
    this.#mustPollAgain = true
    this.#polling ??= this.#startDue().finally(() => {
      this.#polling = undefined
    })
    await this.#polling
  }

  /** Delivers all that is due, and waits until it is. */
  async deliverDue(): Promise<void> {
    do {
      await this.poll()
      await Promise.all(this.#running.values())
    } while ((await store.dueWebhooks(this.#core.db, this.#now(), 1)).length > 0)
  }

  /** Ends what is going on. It is delivered again, by this node or another. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#polling?.catch(() => undefined)
    await Promise.all(this.#running.values())
  }

  #wake(): void {
    this.poll().catch((error: unknown) => this.#warn(error, "could not look for webhooks to deliver to"))
  }

  async #startDue(): Promise<void> {
    while (this.#mustPollAgain && !this.#stopping.signal.aborted) {
      this.#mustPollAgain = false
      for (const [webhookId, { claim, state }] of this.#unreleased) {
        if (!this.#running.has(webhookId)) await this.#release(claim, state)
      }
      for (const webhook of await store.dueWebhooks(this.#core.db, this.#now(), startedPerPoll)) this.#start(webhook)
    }
  }

  #start({ id, ownerId }: store.DueWebhook): void {
    if (this.#running.has(id)) return
    const run = this.#shares
      .use(String(ownerId), () => this.#deliverTo(id))
      .catch((error: unknown) => {
        // The next poll finds it again.
        if (!(error instanceof BoundError)) this.#warn(error, "could not deliver to a webhook; retrying")
      })
      .finally(() => this.#running.delete(id))
    this.#running.set(id, run)
  }

  async #deliverTo(webhookId: number): Promise<void> {
    if (this.#stopping.signal.aborted) return
    const claim = { webhookId, claim: randomUUID() }
    const now = this.#now()
    const webhook = await this.#core.bookkeep((tx) => store.claimWebhook(tx, claim, { now, endsAt: now + claimMs }))
    if (webhook === undefined) return

    const state = await this.#deliverClaimed(webhook, claim)
    if (isGone(state, this.#now())) await this.#disable(webhookId)
    else if (state.retryAt === null && !this.#stopping.signal.aborted) this.#wake()
  }

  /** Sends one message after the other until none is left, one fails, or the time is over. Then other nodes may go on. */
  async #deliverClaimed(webhook: store.ClaimedWebhook, claim: store.Claim): Promise<store.WebhookState> {
    let state: store.WebhookState = { ...webhook, retryAt: null, lastDeliveredAt: null }
    const endsAt = performance.now() + runMs
    try {
      while (state.retryAt === null && performance.now() < endsAt && !this.#stopping.signal.aborted) {
        const delivery = await store.nextDelivery(this.#core.db, webhook.id)
        if (delivery === undefined) break
        const tried = await this.#tryOnce(webhook, delivery)
        if (tried.fault === "interrupted" || !(await this.#record(claim, delivery, tried))) break
        state = stateAfter(state, tried, this.#now())
      }
    } catch (error) {
      // Our own fault, not the receiver's: a row, or the root key. When a database that was away is back, nothing is wrong.
      if (!isOutage(error)) state = { ...state, retryAt: this.#now() + ownFaultPauseMs }
      throw error
    } finally {
      await this.#release(claim, state)
    }
    return state
  }

  async #tryOnce(webhook: store.ClaimedWebhook, delivery: DeliveryRow): Promise<Tried> {
    const at = this.#now()
    const begun = performance.now()
    const letter = await letterOf(this.#core, webhook, delivery, at)
    const sent =
      typeof letter === "string"
        ? { status: null, fault: letter }
        : await send(letter, this.#sender, this.#stopping.signal)
    return { ...sent, at, durationMs: Math.round(performance.now() - begun) }
  }

  /** False if the message is no longer this node's to deliver. */
  #record(claim: store.Claim, delivery: DeliveryRow, tried: Tried): Promise<boolean> {
    const outcome = outcomeOf(delivery, tried, this.#now())
    this.counts[outcome.isDelivered ? "delivered" : outcome.finishedAt === null ? "retried" : "given_up"]++
    return this.#core.bookkeep((tx) => store.recordOutcome(tx, claim, delivery.id, outcome))
  }

  async #release(claim: store.Claim, state: store.WebhookState): Promise<void> {
    this.#unreleased.set(claim.webhookId, { claim, state })
    await this.#core.bookkeep((tx) => store.releaseWebhook(tx, claim, state))
    this.#unreleased.delete(claim.webhookId)
  }

  async #disable(webhookId: number): Promise<void> {
    const now = this.#now()
    await this.#core.change(theServer, "webhook.disable", async (tx, notes) => {
      const webhook = await store.disableFailing(tx, webhookId, { now, failingBefore: now - disableAfterMs })
      if (webhook === undefined) return notes.nothingChanged()
      this.counts.given_up += await store.giveUpWaiting(tx, webhookId, { now, fault: "disabled" })
      notes.about({ collectionId: webhook.collectionId, webhookHost: webhook.host })
    })
  }
}
