import { WebhookMessage, webhookKindOf } from "@envkeep/contract"
import { isoTime } from "../../iso-time.ts"

/** A delivery, with the event that it is about. */
export interface MessageRow {
  /** Null for a test. */
  auditEventId: number | null
  revision: number | null
  createdAt: number
  collectionId: number
  collectionName: string
  /** Undefined if it is no longer kept. */
  event: MessageEvent | undefined
}

interface MessageEvent {
  createdAt: number
  action: string
  actor: WebhookMessage["data"]["actor"]["kind"]
  actorId: number | null
  actorName: string
  accountId: number | null
  accountName: string
  collectionName: string
  environmentId: number | null
  environmentName: string
  apiKeyId: number | null
  apiKeyName: string
  details: string
}

/**
 * What is sent, made from the event each time: the same event gives the same text. Names and ids only. Undefined if the
 * event is no longer kept.
 */
export function messageOf(row: MessageRow): WebhookMessage | undefined {
  const { event } = row
  const collection = { id: row.collectionId, name: row.collectionName }
  if (row.auditEventId === null) {
    return WebhookMessage.parse({
      type: "webhook.test",
      timestamp: isoTime(row.createdAt),
      data: { kind: null, actor: theServer, collection, environment: null, ...nothing },
    })
  }
  if (event === undefined) return undefined
  const { names, nameCount } = namesIn(event.details)
  const isOwn = event.actor === "user" && event.actorId === event.accountId
  return WebhookMessage.parse({
    type: event.action,
    timestamp: isoTime(event.createdAt),
    data: {
      kind: webhookKindOf(event.action) ?? null,
      actor: { kind: event.actor, id: event.actorId, name: event.actorName },
      collection: { id: row.collectionId, name: event.collectionName },
      environment:
        event.environmentId === null
          ? null
          : { id: event.environmentId, name: event.environmentName, revision: row.revision },
      names,
      nameCount,
      apiKey: event.apiKeyId === null ? null : { id: event.apiKeyId, name: event.apiKeyName },
      account: isOwn || event.accountId === null ? null : { id: event.accountId, name: event.accountName },
    },
  })
}

const theServer = { kind: "server", id: null, name: "" } as const
const nothing = { names: [], nameCount: 0, apiKey: null, account: null }

function namesIn(details: string): { names: string[]; nameCount: number } {
  const { names = [], nameCount = 0 } = JSON.parse(details) as { names?: string[]; nameCount?: number }
  return { names, nameCount }
}
