import type { WebhookKind } from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import { reach } from "../../access/reach.ts"
import { hasRows } from "../../bounds/has-rows.ts"
import { locksRows } from "../../db/engine.ts"
import type { Reader, Tx } from "../../db/schema.ts"

// Every query here has the caller's reach in its WHERE, or takes a locked collection, which was found with it.

/** A collection whose webhooks are about to change: locked until the transaction ends. */
export interface LockedCollection {
  id: number
  ownerId: number
  wrappedKey: Uint8Array
}

/** Looked at again once it is locked: the change that was waited for may have taken the caller's role away. */
export async function lockCollection(tx: Tx, caller: Member, id: number): Promise<LockedCollection | undefined> {
  const inReach = tx.selectFrom("collection").where("collection.id", "=", id).where(reach(caller))
  if (locksRows(tx)) await inReach.select("collection.id").forNoKeyUpdate().execute()
  return inReach
    .select(["collection.id", "collection.owner_id as ownerId", "collection.data_key as wrappedKey"])
    .executeTakeFirst()
}

export async function wrappedKeyOf(db: Reader, caller: Member, id: number): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom("collection")
    .select("collection.data_key as wrappedKey")
    .where("collection.id", "=", id)
    .where(reach(caller))
    .executeTakeFirst()
  return row?.wrappedKey
}

const columns = [
  "webhook.id",
  "webhook.host",
  "webhook.sealed_url as sealedUrl",
  "webhook.description",
  "webhook.kinds",
  "webhook.is_limited as isLimited",
  "webhook.is_enabled as isEnabled",
  "webhook.gave_up_at as gaveUpAt",
  "webhook.created_at as createdAt",
  "webhook.failing_since_at as failingSinceAt",
  "webhook.retry_at as retryAt",
  "webhook.last_delivered_at as lastDeliveredAt",
  "webhook.old_secret_ends_at as oldSecretEndsAt",
] as const

function webhooks(db: Reader) {
  return db
    .selectFrom("webhook")
    .innerJoin("collection", "collection.id", "webhook.collection_id")
    .select(columns)
    .select((eb) =>
      eb
        .selectFrom("webhook_delivery")
        .select((count) => count.fn.countAll<number>().as("count"))
        .whereRef("webhook_delivery.webhook_id", "=", "webhook.id")
        .where("webhook_delivery.finished_at", "is", null)
        .as("pending"),
    )
}

export type WebhookRow = Awaited<ReturnType<ReturnType<typeof webhooks>["execute"]>>[number]

export function webhooksOf(db: Reader, caller: Member, collectionId: number): Promise<WebhookRow[]> {
  return webhooks(db)
    .where("webhook.collection_id", "=", collectionId)
    .where(reach(caller))
    .orderBy("webhook.id")
    .execute()
}

export interface WebhookId {
  collectionId: number
  webhookId: number
}

export function findWebhook(
  db: Reader,
  caller: Member,
  { collectionId, webhookId }: WebhookId,
): Promise<WebhookRow | undefined> {
  return webhooks(db)
    .where("webhook.id", "=", webhookId)
    .where("webhook.collection_id", "=", collectionId)
    .where(reach(caller))
    .executeTakeFirst()
}

/** What webhooks of a collection are limited to, without what is in the trash. */
export function listedEnvironments(
  db: Reader,
  caller: Member,
  collectionId: number,
): Promise<{ webhookId: number; id: number; name: string }[]> {
  return db
    .selectFrom("webhook_environment")
    .innerJoin("environment", "environment.id", "webhook_environment.environment_id")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select(["webhook_environment.webhook_id as webhookId", "environment.id", "environment.name"])
    .where("environment.collection_id", "=", collectionId)
    .where("environment.trashed_at", "is", null)
    .where(reach(caller))
    .orderBy("environment.id")
    .execute()
}

export function hasWebhooks(tx: Tx, { id }: LockedCollection, count: number): Promise<boolean> {
  return hasRows(tx.selectFrom("webhook").select("id").where("collection_id", "=", id), count)
}

/** Does not wait for webhooks that are being made in other collections, so there can be a few more. */
export function ownerHasWebhooks(tx: Tx, { ownerId }: LockedCollection, count: number): Promise<boolean> {
  const ofOwner = tx
    .selectFrom("collection")
    .innerJoin("webhook", "webhook.collection_id", "collection.id")
    .select("webhook.id")
    .where("collection.owner_id", "=", ownerId)
  return hasRows(ofOwner, count)
}

export interface Settings {
  host: string
  description: string
  kinds: readonly WebhookKind[] | null
  isLimited: boolean
  isEnabled: boolean
}

/** Without URL and secret yet: they are bound to the id, which exists only once the row is inserted. */
export async function insertWebhook(
  tx: Tx,
  { id }: LockedCollection,
  settings: Settings,
  now: number,
): Promise<number> {
  const none = { sealed_url: new Uint8Array(), sealed_secret: new Uint8Array() }
  const row = await tx
    .insertInto("webhook")
    .values({ collection_id: id, ...toRow(settings), ...none, created_at: now })
    .returning("id")
    .executeTakeFirstOrThrow()
  return row.id
}

function toRow({ host, description, kinds, isLimited, isEnabled }: Settings) {
  return {
    host,
    description,
    kinds: kinds === null ? null : JSON.stringify(kinds),
    is_limited: isLimited ? 1 : 0,
    is_enabled: isEnabled ? 1 : 0,
  }
}

/** The claim ends, so that what is going on now is the last that is sent as before. */
export async function updateWebhook(
  tx: Tx,
  { id }: LockedCollection,
  webhookId: number,
  { settings, isFresh }: { settings: Settings; isFresh: boolean },
): Promise<void> {
  const fresh = {
    gave_up_at: null,
    failures: 0,
    failing_since_at: null,
    retry_at: null,
    claim: null,
    claim_ends_at: null,
  }
  await tx
    .updateTable("webhook")
    .set({ ...toRow(settings), ...(isFresh ? fresh : {}) })
    .where("id", "=", webhookId)
    .where("collection_id", "=", id)
    .execute()
}

interface Sealed {
  sealed_url?: Uint8Array
  sealed_secret?: Uint8Array
}

export async function setSealed(tx: Tx, { id }: LockedCollection, webhookId: number, sealed: Sealed): Promise<void> {
  await tx.updateTable("webhook").set(sealed).where("id", "=", webhookId).where("collection_id", "=", id).execute()
}

/** The current secret becomes the former one, until then. */
export async function rotateSecret(
  tx: Tx,
  { id }: LockedCollection,
  webhookId: number,
  { sealedSecret, oldEndsAt }: { sealedSecret: Uint8Array; oldEndsAt: number | null },
): Promise<void> {
  await tx
    .updateTable("webhook")
    .set((eb) => ({
      sealed_old_secret: oldEndsAt === null ? null : eb.ref("sealed_secret"),
      old_secret_ends_at: oldEndsAt,
      sealed_secret: sealedSecret,
      claim: null,
      claim_ends_at: null,
    }))
    .where("id", "=", webhookId)
    .where("collection_id", "=", id)
    .execute()
}

/** How many of these environments the webhook is now limited to: those of its collection. */
export async function limitTo(
  tx: Tx,
  { id }: LockedCollection,
  webhookId: number,
  environmentIds: readonly number[],
): Promise<number> {
  await tx.deleteFrom("webhook_environment").where("webhook_id", "=", webhookId).execute()
  if (environmentIds.length === 0) return 0
  const rows = await tx
    .insertInto("webhook_environment")
    .columns(["webhook_id", "environment_id"])
    .expression((eb) =>
      eb
        .selectFrom("environment")
        .select((eb) => [eb.cast<number>(eb.val(webhookId), "bigint").as("webhook_id"), "environment.id"])
        .where("environment.id", "in", environmentIds)
        .where("environment.collection_id", "=", id)
        .where("environment.trashed_at", "is", null),
    )
    .returning("id")
    .execute()
  return rows.length
}

export function deleteWebhook(
  tx: Tx,
  { id }: LockedCollection,
  webhookId: number,
): Promise<{ host: string } | undefined> {
  return tx
    .deleteFrom("webhook")
    .where("id", "=", webhookId)
    .where("collection_id", "=", id)
    .returning("host")
    .executeTakeFirst()
}
