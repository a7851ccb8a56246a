import {
  type InputOf,
  limits,
  type OutputOf,
  sentences,
  type WebhookDelivery,
  type WebhookFault,
  type webhooks,
} from "@envkeep/contract"
import type { Member } from "../../../access/caller.ts"
import { refuseOutOfReach } from "../../../access/out-of-reach.ts"
import { BoundError } from "../../../bounds/bound-error.ts"
import type { Core } from "../../../core/core.ts"
import type { Reader } from "../../../db/schema.ts"
import { conflict, notFound } from "../../../errors.ts"
import { isoTime } from "../../../iso-time.ts"
import { newMessageId } from "../../../keys/token.ts"
import type { DeliveryRow } from "../delivery-rows.ts"
import { messageOf } from "../message.ts"
import * as store from "./store.ts"

// What users see of the queue, and do to it.

const retryWhenFullSeconds = 60

export function listDeliveries(
  core: Core,
  caller: Member,
  { id, webhookId, before = Number.MAX_SAFE_INTEGER }: InputOf<typeof webhooks.deliveries>,
): Promise<OutputOf<typeof webhooks.deliveries>> {
  return core.snapshot(async (snapshot) => {
    const webhook = await findQueue(snapshot, caller, { collectionId: id, webhookId })
    const rows = await store.deliveriesOf(snapshot, webhook, { before, maxRows: limits.deliveriesPerPage + 1 })
    const shown = rows.slice(0, limits.deliveriesPerPage)
    return {
      deliveries: shown.map((row) => toDelivery(row, webhook)),
      next: rows.length > shown.length ? (shown.at(-1)?.id ?? null) : null,
    }
  })
}

/** Tries the rest of the queue too if the receiver works again. */
export async function sendTest(
  core: Core,
  caller: Member,
  { id, webhookId }: InputOf<typeof webhooks.test>,
): Promise<WebhookDelivery> {
  const webhook = await findQueue(core.db, caller, { collectionId: id, webhookId })
  refuseDisabled(webhook)
  const message = { messageId: newMessageId(), auditEventId: null, revision: null }
  return queue(core, webhook, message)
}

export async function redeliver(
  core: Core,
  caller: Member,
  { id, webhookId, deliveryId }: InputOf<typeof webhooks.redeliver>,
): Promise<WebhookDelivery> {
  const webhook = await findQueue(core.db, caller, { collectionId: id, webhookId })
  const [delivery] = await store.deliveriesOf(core.db, webhook, { before: deliveryId + 1, maxRows: 1 })
  if (delivery === undefined || delivery.id !== deliveryId) throw notFound("Delivery")
  refuseDisabled(webhook)
  if (delivery.finishedAt !== null) return queue(core, webhook, delivery)
  await core.bookkeep((tx) => store.tryNow(tx, webhook))
  wakeDeliverers(core)
  return toDelivery(delivery, { ...webhook, retryAt: null })
}

async function queue(core: Core, webhook: store.Queue, message: store.QueuedMessage): Promise<WebhookDelivery> {
  if (await store.hasWaiting(core.db, webhook, limits.pendingDeliveries)) {
    throw new BoundError("waiting", "too_many", sentences.webhookQueueFull, retryWhenFullSeconds)
  }
  const id = await core.bookkeep((tx) => store.insertDelivery(tx, webhook, message, Date.now()))
  if (id === undefined) throw notFound("Webhook")
  await core.bookkeep((tx) => store.tryNow(tx, webhook))
  const [delivery] = await store.deliveriesOf(core.db, webhook, { before: id + 1, maxRows: 1 })
  wakeDeliverers(core)
  if (delivery === undefined) throw notFound("Webhook")
  return toDelivery(delivery, { ...webhook, retryAt: null })
}

/** Not a change of the collection, so no event wakes them. */
function wakeDeliverers({ deliveryListeners }: Core): void {
  for (const wake of deliveryListeners) wake()
}

async function findQueue(db: Reader, caller: Member, id: store.QueueId): Promise<store.Queue> {
  await refuseOutOfReach(db, caller, id.collectionId)
  const webhook = await store.findQueue(db, caller, id)
  if (webhook === undefined) throw notFound("Webhook")
  return webhook
}

function refuseDisabled({ isEnabled }: store.Queue): void {
  if (isEnabled === 0) throw conflict(sentences.webhookDisabled)
}

function toDelivery(row: DeliveryRow, webhook: store.Queue): WebhookDelivery {
  const message = messageOf(row)
  const isWaiting = row.finishedAt === null
  const isNext = isWaiting && row.id === webhook.firstId
  return {
    id: row.id,
    messageId: row.messageId,
    type: row.auditEventId === null ? "webhook.test" : (row.event?.action ?? "unknown"),
    state: isWaiting ? "pending" : row.isDelivered === 1 ? "delivered" : "failed",
    createdAt: isoTime(row.createdAt),
    attempts: row.attempts,
    fault: isWaiting ? (row.attempts.at(-1)?.fault ?? null) : (row.fault as WebhookFault | null),
    nextAttemptAt: isNext && webhook.retryAt !== null ? isoTime(webhook.retryAt) : null,
    body: message === undefined ? null : JSON.stringify(message),
  }
}
