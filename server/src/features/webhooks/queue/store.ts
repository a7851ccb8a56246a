import type { Member } from "../../../access/caller.ts"
import { reach } from "../../../access/reach.ts"
import { hasRows } from "../../../bounds/has-rows.ts"
import type { Reader, Tx } from "../../../db/schema.ts"
import { type DeliveryRow, deliveries, toDeliveryRow } from "../delivery-rows.ts"

// Every query here has the caller's reach in its WHERE, or takes a queue, which was found with it.

export interface QueueId {
  collectionId: number
  webhookId: number
}

/** What waits for a webhook. */
export interface Queue {
  id: number
  isEnabled: number
  retryAt: number | null
  /** What is delivered next, tests apart. */
  firstId: number | null
}

export function findQueue(
  db: Reader,
  caller: Member,
  { collectionId, webhookId }: QueueId,
): Promise<Queue | undefined> {
  return db
    .selectFrom("webhook")
    .innerJoin("collection", "collection.id", "webhook.collection_id")
    .select((eb) => [
      "webhook.id",
      "webhook.is_enabled as isEnabled",
      "webhook.retry_at as retryAt",
      eb
        .selectFrom("webhook_delivery")
        .select((first) => first.fn.min("webhook_delivery.id").as("id"))
        .whereRef("webhook_delivery.webhook_id", "=", "webhook.id")
        .where("webhook_delivery.finished_at", "is", null)
        .as("firstId"),
    ])
    .where("webhook.id", "=", webhookId)
    .where("webhook.collection_id", "=", collectionId)
    .where(reach(caller))
    .executeTakeFirst()
}

/** The newest first. */
export async function deliveriesOf(
  db: Reader,
  { id }: Queue,
  { before, maxRows }: { before: number; maxRows: number },
): Promise<DeliveryRow[]> {
  const rows = await deliveries(db)
    .where("webhook_delivery.webhook_id", "=", id)
    .where("webhook_delivery.id", "<", before)
    .orderBy("webhook_delivery.id", "desc")
    .limit(maxRows)
    .execute()
  return rows.map(toDeliveryRow)
}

/** Does not wait for what is being queued, so there can be a few more. */
export function hasWaiting(db: Reader, { id }: Queue, count: number): Promise<boolean> {
  const waiting = db
    .selectFrom("webhook_delivery")
    .select("id")
    .where("webhook_id", "=", id)
    .where("finished_at", "is", null)
  return hasRows(waiting, count)
}

export interface QueuedMessage {
  messageId: string
  auditEventId: number | null
  revision: number | null
}

/** Undefined if the webhook was deleted in the meantime. */
export async function insertDelivery(
  tx: Tx,
  { id }: Queue,
  { messageId, auditEventId, revision }: QueuedMessage,
  now: number,
): Promise<number | undefined> {
  const row = await tx
    .insertInto("webhook_delivery")
    .columns(["webhook_id", "message_id", "audit_event_id", "revision", "created_at"])
    .expression((eb) =>
      eb
        .selectFrom("webhook")
        .select((eb) => [
          "webhook.id",
          eb.cast<string>(eb.val(messageId), "text").as("message_id"),
          eb.cast<number | null>(eb.val(auditEventId), "bigint").as("audit_event_id"),
          eb.cast<number | null>(eb.val(revision), "bigint").as("revision"),
          eb.cast<number>(eb.val(now), "bigint").as("created_at"),
        ])
        .where("webhook.id", "=", id),
    )
    .returning("id")
    .executeTakeFirst()
  return row?.id
}

/** Without waiting for the end of a pause. */
export async function tryNow(tx: Tx, { id }: Queue): Promise<void> {
  await tx.updateTable("webhook").set({ retry_at: null }).where("id", "=", id).execute()
}
