import { type Level, webhookKindOf } from "@envkeep/contract"
import type { Action } from "../access/actions.ts"
import type { Caller } from "../access/caller.ts"
import { networkOf } from "../access/network.ts"
import { prepared } from "../db/prepared.ts"
import type { Tx } from "../db/schema.ts"
import { newMessageId } from "../keys/token.ts"

/** What a change is about. Names and ids only, never a value. */
export interface Subject {
  userId?: number
  collectionId?: number
  environmentId?: number
  apiKeyId?: number
  productId?: number
  team?: { id: number; name: string }
  /** The environment that items were copied from. */
  source?: { id: number; name: string }
  /** That was given to a member or team. */
  role?: Level
  /** Of a webhook's receiver: the rest of its URL may be secret. */
  webhookHost?: string
  /** The items' names, or a passkey's. */
  names?: readonly string[]
  /** Names that are known, or of what is no longer stored when the event is written. The others are looked up. */
  username?: string
  collectionName?: string
  environmentName?: string
  apiKeyName?: string
  tokenName?: string
  /** How much or how many. */
  counts?: Readonly<Record<string, number>>
}

/** An entry of the audit trail. */
export interface ChangeEvent {
  caller: Caller
  action: Action
  subject: Subject
}

/** Writes an event in the transaction of its change, and returns how many deliveries to webhooks it has queued. */
export type Recorder = (tx: Tx, event: ChangeEvent) => Promise<number>

/** Also of commands, which write without the door. */
export type Writer = Pick<Tx, "selectFrom" | "insertInto" | "getExecutor">

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

/** An event that was just recorded. */
export interface RecordedEvent {
  id: number
  action: Action
  collectionId: number
  environmentId: number | null
  now: number
}

/**
 * Queues an event for the webhooks of its collection, in the transaction of the change: what is not committed is not
 * delivered, and what is committed is. Returns how many deliveries there are.
 */
export async function queueDeliveries(tx: Writer, event: RecordedEvent): Promise<number> {
  const kind = webhookKindOf(event.action)
  if (kind === undefined) return 0
  const webhooks = await tx
    .selectFrom("webhook")
    .select(["id", "kinds", "is_limited as isLimited"])
    .where("collection_id", "=", event.collectionId)
    .where("is_enabled", "=", 1)
    .orderBy("id")
    .execute()
  const wanting = webhooks.filter(({ kinds }) => kinds === null || JSON.parse(kinds).includes(kind))
  const limited = wanting.filter(({ isLimited }) => isLimited === 1).map(({ id }) => id)
  const told = await toldOf(tx, event, limited)
  const chosen = wanting.filter(({ id, isLimited }) => isLimited === 0 || told.has(id))
  if (chosen.length === 0) return 0
  await tx
    .insertInto("webhook_delivery")
    .values(({ selectFrom }) =>
      chosen.map(({ id }) => ({
        webhook_id: id,
        message_id: newMessageId(),
        audit_event_id: event.id,
        revision: selectFrom("environment").select("revision").where("id", "=", event.environmentId),
        created_at: event.now,
      })),
    )
    .execute()
  return chosen.length
}

/** Of webhooks that are limited to environments, those for this one, or for one that inherits from it. */
async function toldOf(
  tx: Writer,
  { environmentId }: RecordedEvent,
  webhookIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (environmentId === null || webhookIds.length === 0) return new Set()
  const rows = await tx
    .selectFrom("webhook_environment")
    .innerJoin("environment as own", "own.id", "webhook_environment.environment_id")
    // As many as `limits.inheritanceLevels`.
    .leftJoin("environment as base1", "base1.id", "own.base_id")
    .leftJoin("environment as base2", "base2.id", "base1.base_id")
    .leftJoin("environment as base3", "base3.id", "base2.base_id")
    .leftJoin("environment as base4", "base4.id", "base3.base_id")
    .select("webhook_environment.webhook_id as id")
    .distinct()
    .where("webhook_environment.webhook_id", "in", webhookIds)
    .where((eb) =>
      eb.or(
        (["own.id", "base1.id", "base2.id", "base3.id", "base4.id"] as const).map((id) => eb(id, "=", environmentId)),
      ),
    )
    .execute()
  return new Set(rows.map(({ id }) => id))
}
