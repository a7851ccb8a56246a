import type { Action } from "../access/actions.ts"
import type { Caller } from "../access/caller.ts"
import { networkOf } from "../access/network.ts"
import { prepared } from "../db/prepared.ts"
import type { ChangeEvent, Subject } from "./event.ts"
import { queueDeliveries, type Writer } from "./outbox.ts"

/** So many names are written down, and how many there were. The history of the environment has them all. */
const maxNames = 20

/**
 * Writes an event into the transaction of its change: without the event there is no change. A job gives the event its
 * place in the chain. If its collection has webhooks, it is queued for them.
 */
export async function recordEvent(tx: Writer, { caller, action, subject }: ChangeEvent): Promise<number> {
  const { userId, collectionId = null, environmentId = null, apiKeyId = null } = subject
  const { username = null, collectionName = null, environmentName = null, apiKeyName = null } = subject
  const callingUser = caller.kind === "user" ? caller : undefined
  const callingKey = caller.kind === "key" ? apiKeyId : null
  const accountId = userId ?? callingUser?.userId ?? null
  const isOwn = accountId === callingUser?.userId
  // A new name comes with the change of it.
  const callersName = (isOwn ? username : null) ?? callingUser?.username ?? null
  const event: NewEvent = {
    now: Date.now(),
    action,
    actor: caller.kind,
    actorId: callingKey ?? callingUser?.userId ?? null,
    actorName: caller.kind === "key" ? apiKeyName : callersName,
    callingKey,
    accountId,
    accountName: isOwn ? callersName : username,
    address: "address" in caller ? networkOf(caller.address) : "",
    client: "client" in caller ? caller.client : "",
    collectionId,
    collectionName,
    environmentId,
    environmentName,
    apiKeyId,
    apiKeyName,
    details: detailsOf(subject, caller),
  }
  const [row] = await eventInsert(tx, event, "")
  // Most collections have no webhook. Then this costs no statement of its own.
  if (row === undefined || row.collectionId === null || !row.hasWebhooks) return 0
  return queueDeliveries(tx, { ...row, collectionId: row.collectionId, action, now: event.now })
}

/** Names that are null are looked up. */
interface NewEvent {
  now: number
  action: Action
  actor: Caller["kind"]
  actorId: number | null
  actorName: string | null
  callingKey: number | null
  accountId: number | null
  accountName: string | null
  address: string
  client: string
  collectionId: number | null
  collectionName: string | null
  environmentId: number | null
  environmentName: string | null
  apiKeyId: number | null
  apiKeyName: string | null
  details: string
}

/** One statement for all events: an id that is null finds no name. */
const eventInsert = prepared((tx: Writer, given: NewEvent) =>
  tx
    .insertInto("audit_event")
    .values(({ fn, selectFrom, val }) => {
      const user = selectFrom("user").select("username").where("id", "=", given.accountId)
      const apiKey = (id: number | null) => selectFrom("api_key").select("name").where("id", "=", id)
      const environment = selectFrom("environment").where("id", "=", given.environmentId)
      const collectionId = fn.coalesce(val(given.collectionId), environment.select("collection_id"))
      const collection = selectFrom("collection").select("name").where("id", "=", collectionId)
      const none = val("")
      return {
        created_at: given.now,
        action: given.action,
        actor: given.actor,
        actor_id: given.actorId,
        actor_name: fn.coalesce(val(given.actorName), apiKey(given.callingKey), none),
        account_id: given.accountId,
        account_name: fn.coalesce(val(given.accountName), user, none),
        address: given.address,
        client: given.client,
        collection_id: collectionId,
        collection_name: fn.coalesce(val(given.collectionName), collection, none),
        environment_id: given.environmentId,
        environment_name: fn.coalesce(val(given.environmentName), environment.select("name"), none),
        api_key_id: given.apiKeyId,
        api_key_name: fn.coalesce(val(given.apiKeyName), apiKey(given.apiKeyId), none),
        details: given.details,
      }
    })
    .returning(({ exists, selectFrom }) => [
      "id",
      "collection_id as collectionId",
      "environment_id as environmentId",
      exists(
        selectFrom("webhook").select("webhook.id").whereRef("webhook.collection_id", "=", "audit_event.collection_id"),
      ).as("hasWebhooks"),
    ]),
)

function detailsOf(subject: Subject, caller: Caller): string {
  const { names = [], counts = {}, productId, team, source, role, tokenName, webhookHost } = subject
  // Of the token that was made or revoked, or with which the change was made.
  const token = tokenName ?? (caller.kind === "user" ? caller.token?.name : undefined)
  return JSON.stringify({
    ...(names.length === 0 ? {} : { names: names.slice(0, maxNames), nameCount: names.length }),
    ...(productId === undefined ? {} : { productId }),
    ...(team === undefined ? {} : { teamId: team.id, teamName: team.name }),
    ...(source === undefined ? {} : { sourceId: source.id, sourceName: source.name }),
    ...(role === undefined ? {} : { role }),
    ...(webhookHost === undefined ? {} : { webhookHost }),
    ...(token === undefined ? {} : { token }),
    ...counts,
  })
}
