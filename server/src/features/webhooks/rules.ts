import type { KeyObject } from "node:crypto"
import { type InputOf, limits, sentences, type Webhook, type WebhookWithSecret, type webhooks } from "@envkeep/contract"
import type { Action } from "../../access/actions.ts"
import type { Member } from "../../access/caller.ts"
import { outOfReach } from "../../access/out-of-reach.ts"
import type { Core, Notes } from "../../core/core.ts"
import type { Reader, Tx } from "../../db/schema.ts"
import { hourMs } from "../../durations.ts"
import { AppError, invalid, notFound } from "../../errors.ts"
import { isoTime } from "../../iso-time.ts"
import { type DataKey, openSecret, sealSecret } from "../../keys/secrets.ts"
import { newWebhookSecret } from "../../keys/token.ts"
import type { AddressPolicy } from "./delivery/addresses.ts"
import { giveUp } from "./delivery/prune.ts"
import { isRefusedLiterally } from "./delivery/resolve.ts"
import * as store from "./store.ts"

export function listWebhooks(core: Core, caller: Member, { id }: InputOf<typeof webhooks.list>): Promise<Webhook[]> {
  return core.snapshot(async (snapshot) => {
    const wrappedKey = await store.wrappedKeyOf(snapshot, caller, id)
    if (wrappedKey === undefined) throw await outOfReach(snapshot, caller, { collectionId: id })
    const rows = await store.webhooksOf(snapshot, caller, id)
    const key = rows.length === 0 ? undefined : await core.vault.dataKey(snapshot, id, wrappedKey)
    const listed = Map.groupBy(await store.listedEnvironments(snapshot, caller, id), (one) => one.webhookId)
    return rows.map((row) => toWebhook(row, key, listed.get(row.id) ?? []))
  })
}

export function createWebhook(
  core: Core,
  caller: Member,
  { id, ...input }: InputOf<typeof webhooks.create>,
  policy: AddressPolicy,
): Promise<WebhookWithSecret> {
  const url = checkedUrl(input.url, policy)
  return changeWebhooks(core, caller, { action: "webhook.create", id }, async (tx, notes, collection) => {
    if (await store.hasWebhooks(tx, collection, limits.webhooksPerCollection)) throw invalid(sentences.tooManyWebhooks)
    if (await store.ownerHasWebhooks(tx, collection, limits.webhooksPerAccount)) {
      throw invalid(sentences.tooManyWebhooksOfAccount)
    }
    const { description = "", kinds = null, environmentIds = null, isEnabled = true } = input
    const settings = { host: url.host, description, kinds, isLimited: environmentIds !== null, isEnabled }
    const webhookId = await store.insertWebhook(tx, collection, settings, Date.now())
    const key = await sealingKey(core, tx, collection)
    const secret = newWebhookSecret()
    await store.setSealed(tx, collection, webhookId, {
      sealed_url: sealSecret(key, url.href, { kind: "webhook-url", webhookId }),
      sealed_secret: sealSecret(key, secret, { kind: "webhook-secret", webhookId }),
    })
    await limitTo(tx, collection, webhookId, environmentIds)
    notes.about({ collectionId: id, webhookHost: url.host })
    return { ...(await shown(core, tx, caller, { collectionId: id, webhookId })), secret }
  })
}

export function updateWebhook(
  core: Core,
  caller: Member,
  { id, webhookId, ...input }: InputOf<typeof webhooks.update>,
  policy: AddressPolicy,
): Promise<Webhook> {
  const url = input.url === undefined ? undefined : checkedUrl(input.url, policy)
  return changeWebhooks(core, caller, { action: "webhook.update", id }, async (tx, notes, collection) => {
    const row = await foundWebhook(tx, caller, { collectionId: id, webhookId })
    const { environmentIds, kinds, isEnabled = row.isEnabled === 1 } = input
    const settings = {
      host: url?.host ?? row.host,
      description: input.description ?? row.description,
      kinds: kinds === undefined ? kindsOf(row) : kinds,
      isLimited: environmentIds === undefined ? row.isLimited === 1 : environmentIds !== null,
      isEnabled,
    }
    const isFresh = url !== undefined || isEnabled !== (row.isEnabled === 1)
    await store.updateWebhook(tx, collection, webhookId, { settings, isFresh })
    if (url !== undefined) {
      const key = await sealingKey(core, tx, collection)
      const sealed_url = sealSecret(key, url.href, { kind: "webhook-url", webhookId })
      await store.setSealed(tx, collection, webhookId, { sealed_url })
    }
    if (environmentIds !== undefined) await limitTo(tx, collection, webhookId, environmentIds)
    if (!isEnabled) await giveUp(tx, webhookId)
    notes.about({ collectionId: id, webhookHost: settings.host })
    return shown(core, tx, caller, { collectionId: id, webhookId })
  })
}

export function deleteWebhook(
  core: Core,
  caller: Member,
  { id, webhookId }: InputOf<typeof webhooks.remove>,
): Promise<null> {
  return changeWebhooks(core, caller, { action: "webhook.delete", id }, async (tx, notes, collection) => {
    const row = await store.deleteWebhook(tx, collection, webhookId)
    if (row === undefined) throw notFound("Webhook")
    notes.about({ collectionId: id, webhookHost: row.host })
    return null
  })
}

export function rotateSecret(
  core: Core,
  caller: Member,
  { id, webhookId, overlapHours }: InputOf<typeof webhooks.rotateSecret>,
): Promise<WebhookWithSecret> {
  return changeWebhooks(core, caller, { action: "webhook.rotate-secret", id }, async (tx, notes, collection) => {
    const { host } = await foundWebhook(tx, caller, { collectionId: id, webhookId })
    const key = await sealingKey(core, tx, collection)
    const secret = newWebhookSecret()
    await store.rotateSecret(tx, collection, webhookId, {
      sealedSecret: sealSecret(key, secret, { kind: "webhook-secret", webhookId }),
      oldEndsAt: overlapHours === 0 ? null : Date.now() + overlapHours * hourMs,
    })
    notes.about({ collectionId: id, webhookHost: host })
    return { ...(await shown(core, tx, caller, { collectionId: id, webhookId })), secret }
  })
}

type Work<Result> = (tx: Tx, notes: Notes, collection: store.LockedCollection) => Promise<Result>

/** Under a lock that lasts until the commit, so that the limits hold. */
function changeWebhooks<Result>(
  core: Core,
  caller: Member,
  { action, id }: { action: Action; id: number },
  work: Work<Result>,
): Promise<Result> {
  return core.change(caller, action, async (tx, notes) => {
    const collection = await store.lockCollection(tx, caller, id)
    if (collection === undefined) throw await outOfReach(tx, caller, { collectionId: id })
    return work(tx, notes, collection)
  })
}

/** Early, where it can be seen from the URL. The addresses of a name are checked each time it is called. */
function checkedUrl(text: string, policy: AddressPolicy): URL {
  const url = new URL(text)
  url.hash = ""
  if (isRefusedLiterally(url, policy)) throw invalid(sentences.webhookAddressRefused)
  return url
}

async function sealingKey(core: Core, tx: Tx, { id, wrappedKey }: store.LockedCollection): Promise<KeyObject> {
  const key = await core.vault.dataKey(tx, id, wrappedKey)
  if (key === undefined) throw new AppError("unprocessable", sentences.collectionKeyDamaged)
  return key
}

async function limitTo(
  tx: Tx,
  collection: store.LockedCollection,
  webhookId: number,
  environmentIds: readonly number[] | null,
): Promise<void> {
  const wanted = new Set(environmentIds)
  if ((await store.limitTo(tx, collection, webhookId, [...wanted])) < wanted.size) throw notFound("Environment")
}

/** For a caller whose reach is checked. */
async function foundWebhook(db: Reader, caller: Member, id: store.WebhookId): Promise<store.WebhookRow> {
  const row = await store.findWebhook(db, caller, id)
  if (row === undefined) throw notFound("Webhook")
  return row
}

async function shown(core: Core, tx: Tx, caller: Member, id: store.WebhookId): Promise<Webhook> {
  const { collectionId, webhookId } = id
  const row = await foundWebhook(tx, caller, id)
  const wrappedKey = await store.wrappedKeyOf(tx, caller, collectionId)
  const key = wrappedKey && (await core.vault.dataKey(tx, collectionId, wrappedKey))
  const listed = await store.listedEnvironments(tx, caller, collectionId)
  return toWebhook(
    row,
    key,
    listed.filter((one) => one.webhookId === webhookId),
  )
}

function toWebhook(row: store.WebhookRow, key: DataKey, listed: readonly { id: number; name: string }[]): Webhook {
  const time = (at: number | null) => (at === null ? null : isoTime(at))
  const isOverlapping = row.oldSecretEndsAt !== null && row.oldSecretEndsAt > Date.now()
  return {
    id: row.id,
    url: openSecret(key, row.sealedUrl, { kind: "webhook-url", webhookId: row.id }),
    description: row.description,
    kinds: kindsOf(row),
    environments: row.isLimited === 1 ? listed.map(({ id, name }) => ({ id, name })) : null,
    isEnabled: row.isEnabled === 1,
    gaveUpAt: time(row.gaveUpAt),
    createdAt: isoTime(row.createdAt),
    failingSince: time(row.failingSinceAt),
    lastDeliveredAt: time(row.lastDeliveredAt),
    pending: row.pending ?? 0,
    oldSecretUntil: isOverlapping ? time(row.oldSecretEndsAt) : null,
  }
}

function kindsOf({ kinds }: store.WebhookRow): Webhook["kinds"] {
  return kinds === null ? null : JSON.parse(kinds)
}
