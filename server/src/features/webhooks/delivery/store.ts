import type { WebhookAttempt, WebhookFault } from "@envkeep/contract"
import { sql } from "kysely"
import { deleteInBatches } from "../../../bounds/batches.ts"
import { locksRows } from "../../../db/engine.ts"
import type { Reader, Tx } from "../../../db/schema.ts"
import { type DeliveryRow, deliveries, toDeliveryRow } from "../delivery-rows.ts"

// What the server itself delivers: webhooks are found because something waits for them, not for a caller.

export interface DueWebhook {
  id: number
  /** Whose collection it is. */
  ownerId: number
}

const duePerOwner = 8

/** The webhooks that something waits for. The index of what waits is read from one webhook to the next, not whole. */
const waiting = sql`recursive waiting(webhook_id) as (
  select min(webhook_id) from webhook_delivery where finished_at is null
  union all
  select (select min(later.webhook_id) from webhook_delivery as later
    where later.finished_at is null and later.webhook_id > waiting.webhook_id)
  from waiting where waiting.webhook_id is not null)`

/** Those to deliver to now. Some of each owner, and those first that had to wait longest. */
export async function dueWebhooks(db: Reader, now: number, maxRows: number): Promise<DueWebhook[]> {
  const { rows } = await sql<DueWebhook>`
    with ${waiting}, due as (
      select webhook.id, collection.owner_id, webhook.last_attempt_at,
        row_number() over (partition by collection.owner_id order by webhook.last_attempt_at, webhook.id) as place
      from waiting
      join webhook on webhook.id = waiting.webhook_id
      join collection on collection.id = webhook.collection_id
      where webhook.is_enabled = 1 and collection.trashed_at is null
        and (webhook.retry_at is null or webhook.retry_at <= ${now})
        and (webhook.claim_ends_at is null or webhook.claim_ends_at <= ${now}))
    select id, owner_id as "ownerId" from due where place <= ${duePerOwner}
    order by place, last_attempt_at, id limit ${maxRows}`.execute(db)
  return rows
}

export interface Claim {
  webhookId: number
  /** Random. Only its holder writes down what came of a try. */
  claim: string
}

export interface ClaimedWebhook {
  id: number
  collectionId: number
  wrappedKey: Uint8Array
  host: string
  sealedUrl: Uint8Array
  sealedSecret: Uint8Array
  sealedOldSecret: Uint8Array | null
  oldSecretEndsAt: number | null
  failures: number
  failingSinceAt: number | null
}

/** Undefined if another node was quicker, or nothing is to be delivered any more. */
export async function claimWebhook(
  tx: Tx,
  { webhookId, claim }: Claim,
  { now, endsAt }: { now: number; endsAt: number },
): Promise<ClaimedWebhook | undefined> {
  const free = tx
    .selectFrom("webhook")
    .select("id")
    .where("id", "=", webhookId)
    .where("is_enabled", "=", 1)
    .where((eb) => eb.or([eb("retry_at", "is", null), eb("retry_at", "<=", now)]))
    .where((eb) => eb.or([eb("claim_ends_at", "is", null), eb("claim_ends_at", "<=", now)]))
    .$if(locksRows(tx), (query) => query.forUpdate().skipLocked())
  const row = await tx
    .updateTable("webhook")
    .set({ claim, claim_ends_at: endsAt, last_attempt_at: now })
    .where("id", "in", free)
    .returning("id")
    .executeTakeFirst()
  if (row === undefined) return undefined
  return tx
    .selectFrom("webhook")
    .innerJoin("collection", "collection.id", "webhook.collection_id")
    .select([
      "webhook.id",
      "webhook.collection_id as collectionId",
      "collection.data_key as wrappedKey",
      "webhook.host",
      "webhook.sealed_url as sealedUrl",
      "webhook.sealed_secret as sealedSecret",
      "webhook.sealed_old_secret as sealedOldSecret",
      "webhook.old_secret_ends_at as oldSecretEndsAt",
      "webhook.failures",
      "webhook.failing_since_at as failingSinceAt",
    ])
    .where("webhook.id", "=", webhookId)
    .executeTakeFirst()
}

/** A test before all others, then the oldest. */
export async function nextDelivery(db: Reader, webhookId: number): Promise<DeliveryRow | undefined> {
  const row = await deliveries(db)
    .where("webhook_delivery.webhook_id", "=", webhookId)
    .where("webhook_delivery.finished_at", "is", null)
    .where("collection.trashed_at", "is", null)
    .orderBy(sql`case when webhook_delivery.audit_event_id is null then 0 else 1 end`)
    .orderBy("webhook_delivery.id")
    .limit(1)
    .executeTakeFirst()
  return row && toDeliveryRow(row)
}

export interface Outcome {
  attempts: readonly WebhookAttempt[]
  /** Null if it is tried again. */
  finishedAt: number | null
  isDelivered: boolean
  /** Why it is given up. */
  fault: WebhookFault | null
}

/** False if the claim is no longer this node's, or the delivery was given up or deleted in the meantime. */
export async function recordOutcome(
  tx: Tx,
  { webhookId, claim }: Claim,
  deliveryId: number,
  { attempts, finishedAt, isDelivered, fault }: Outcome,
): Promise<boolean> {
  const row = await tx
    .updateTable("webhook_delivery")
    .set({ attempts: JSON.stringify(attempts), finished_at: finishedAt, is_delivered: isDelivered ? 1 : 0, fault })
    .where("id", "=", deliveryId)
    .where("finished_at", "is", null)
    .where((eb) =>
      eb.exists(eb.selectFrom("webhook").select("webhook.id").where("id", "=", webhookId).where("claim", "=", claim)),
    )
    .returning("id")
    .executeTakeFirst()
  return row !== undefined
}

export interface WebhookState {
  failures: number
  failingSinceAt: number | null
  retryAt: number | null
  /** Null leaves the former one. */
  lastDeliveredAt: number | null
}

/** Lets other nodes go on. */
export async function releaseWebhook(
  tx: Tx,
  { webhookId, claim }: Claim,
  { failures, failingSinceAt, retryAt, lastDeliveredAt }: WebhookState,
): Promise<void> {
  await tx
    .updateTable("webhook")
    .set({
      claim: null,
      claim_ends_at: null,
      failures,
      failing_since_at: failingSinceAt,
      retry_at: retryAt,
      ...(lastDeliveredAt === null ? {} : { last_delivered_at: lastDeliveredAt }),
    })
    .where("id", "=", webhookId)
    .where("claim", "=", claim)
    .execute()
}

/** Undefined if a user was quicker. */
export function disableFailing(
  tx: Tx,
  webhookId: number,
  { now, failingBefore }: { now: number; failingBefore: number },
): Promise<{ collectionId: number; host: string } | undefined> {
  return tx
    .updateTable("webhook")
    .set({ is_enabled: 0, gave_up_at: now })
    .where("id", "=", webhookId)
    .where("is_enabled", "=", 1)
    .where("failing_since_at", "<=", failingBefore)
    .returning(["collection_id as collectionId", "host"])
    .executeTakeFirst()
}

export async function giveUpWaiting(
  tx: Tx,
  webhookId: number,
  { now, fault, upTo }: { now: number; fault: WebhookFault; upTo?: number },
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("webhook_delivery")
    .set({ finished_at: now, fault })
    .where("webhook_id", "=", webhookId)
    .where("finished_at", "is", null)
    .$if(upTo !== undefined, (query) => query.where("id", "<=", upTo ?? 0))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export async function countWaiting(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom("webhook_delivery")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("finished_at", "is", null)
    .executeTakeFirstOrThrow()
  return count
}

/** Of webhooks for which more than so many wait: the newest of those that are too many. */
export async function overfullQueues(db: Reader, maxWaiting: number): Promise<{ webhookId: number; upTo: number }[]> {
  const { rows } = await sql<{ webhookId: number; upTo: number | null }>`
    with ${waiting}
    select webhook_id as "webhookId", (select id from webhook_delivery
      where webhook_delivery.webhook_id = waiting.webhook_id and finished_at is null
      order by id desc limit 1 offset ${maxWaiting}) as "upTo"
    from waiting where webhook_id is not null`.execute(db)
  return rows.flatMap(({ webhookId, upTo }) => (upTo === null ? [] : [{ webhookId, upTo }]))
}

/** Of webhooks that were used since, or to which something was given up: the newest finished delivery that is one too many. */
export async function overlongLogs(
  db: Reader,
  { usedSince, maxKept }: { usedSince: number; maxKept: number },
): Promise<{ webhookId: number; upTo: number }[]> {
  const { rows } = await sql<{ webhookId: number; upTo: number | null }>`
    select webhook.id as "webhookId", (select id from webhook_delivery
      where webhook_delivery.webhook_id = webhook.id and finished_at is not null
      order by id desc limit 1 offset ${maxKept}) as "upTo"
    from webhook where webhook.last_attempt_at >= ${usedSince}`.execute(db)
  return rows.flatMap(({ webhookId, upTo }) => (upTo === null ? [] : [{ webhookId, upTo }]))
}

const rowsPerDelete = 500

export function deleteFinished(tx: Tx, { webhookId, upTo }: { webhookId: number; upTo: number }): Promise<number> {
  return deleteInBatches(rowsPerDelete, async () => {
    const { numDeletedRows } = await tx
      .deleteFrom("webhook_delivery")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("webhook_delivery")
          .select("id")
          .where("webhook_id", "=", webhookId)
          .where("id", "<=", upTo)
          .where("finished_at", "is not", null)
          .limit(rowsPerDelete),
      )
      .executeTakeFirst()
    return Number(numDeletedRows)
  })
}
