import type { WebhookAttempt } from "@envkeep/contract"
import type { Reader } from "../../db/schema.ts"
import type { MessageRow } from "./message.ts"

// How a delivery is read: for those who look at it, and for the one that sends it.

/** With the events that they are about. */
export function deliveries(db: Reader) {
  return db
    .selectFrom("webhook_delivery")
    .innerJoin("webhook", "webhook.id", "webhook_delivery.webhook_id")
    .innerJoin("collection", "collection.id", "webhook.collection_id")
    .leftJoin("audit_event", "audit_event.id", "webhook_delivery.audit_event_id")
    .select([
      "webhook_delivery.id",
      "webhook_delivery.message_id as messageId",
      "webhook_delivery.audit_event_id as auditEventId",
      "webhook_delivery.revision",
      "webhook_delivery.created_at as createdAt",
      "webhook_delivery.finished_at as finishedAt",
      "webhook_delivery.is_delivered as isDelivered",
      "webhook_delivery.attempts",
      "webhook_delivery.fault",
      "collection.id as collectionId",
      "collection.name as collectionName",
      "audit_event.id as eventId",
      "audit_event.created_at as eventAt",
      "audit_event.action",
      "audit_event.actor",
      "audit_event.actor_id as actorId",
      "audit_event.actor_name as actorName",
      "audit_event.account_id as accountId",
      "audit_event.account_name as accountName",
      "audit_event.collection_name as collectionNameThen",
      "audit_event.environment_id as environmentId",
      "audit_event.environment_name as environmentName",
      "audit_event.api_key_id as apiKeyId",
      "audit_event.api_key_name as apiKeyName",
      "audit_event.details",
    ])
}

type SelectedRow = Awaited<ReturnType<ReturnType<typeof deliveries>["execute"]>>[number]

export interface DeliveryRow extends MessageRow {
  id: number
  messageId: string
  attempts: WebhookAttempt[]
  finishedAt: number | null
  isDelivered: number
  fault: string | null
}

export function toDeliveryRow(row: SelectedRow): DeliveryRow {
  return {
    id: row.id,
    messageId: row.messageId,
    auditEventId: row.auditEventId,
    revision: row.revision,
    createdAt: row.createdAt,
    finishedAt: row.finishedAt,
    isDelivered: row.isDelivered,
    fault: row.fault,
    attempts: JSON.parse(row.attempts),
    collectionId: row.collectionId,
    collectionName: row.collectionName,
    event:
      row.eventId === null
        ? undefined
        : {
            createdAt: Number(row.eventAt),
            action: String(row.action),
            actor: (row.actor ?? "server") as NonNullable<MessageRow["event"]>["actor"],
            actorId: row.actorId,
            actorName: row.actorName ?? "",
            accountId: row.accountId,
            accountName: row.accountName ?? "",
            collectionName: row.collectionNameThen ?? "",
            environmentId: row.environmentId,
            environmentName: row.environmentName ?? "",
            apiKeyId: row.apiKeyId,
            apiKeyName: row.apiKeyName ?? "",
            details: row.details ?? "{}",
          },
  }
}
