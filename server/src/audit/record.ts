import { type Expression, expressionBuilder } from "kysely"
import { networkOf } from "../access/network.ts"
import type { Schema, Tx } from "../db/schema.ts"
import type { ChangeEvent, Subject } from "./event.ts"

/** So many names are written down, and how many there were. The history of the environment has them all. */
const maxNames = 20

/**
 * Writes an event into the transaction of its change: without the event there is no change. One statement, which looks up
 * the names that things have now. A job gives the event its place in the chain.
 */
export async function recordEvent(tx: Pick<Tx, "insertInto">, { caller, action, subject }: ChangeEvent): Promise<void> {
  const { userId, collectionId, environmentId, apiKeyId } = subject
  const callingUser = caller.kind === "user" ? caller.userId : undefined
  const accountId = userId ?? callingUser
  const accountName = nameOf("user", accountId, subject.username)
  const apiKeyName = nameOf("api_key", apiKeyId, subject.apiKeyName)
  const isOfKey = caller.kind === "key"
  await tx
    .insertInto("audit_event")
    .values({
      created_at: Date.now(),
      action,
      actor: caller.kind,
      actor_id: (isOfKey ? apiKeyId : callingUser) ?? null,
      actor_name: isOfKey ? apiKeyName : callingUser === accountId ? accountName : nameOf("user", callingUser),
      account_id: accountId ?? null,
      account_name: accountName,
      address: "address" in caller ? networkOf(caller.address) : "",
      client: "client" in caller ? caller.client : "",
      collection_id: collectionId ?? collectionOf(environmentId, "id"),
      collection_name:
        collectionId === undefined && subject.collectionName === undefined
          ? (collectionOf(environmentId, "name") ?? "")
          : nameOf("collection", collectionId, subject.collectionName),
      environment_id: environmentId ?? null,
      environment_name: nameOf("environment", environmentId, subject.environmentName),
      api_key_id: apiKeyId ?? null,
      api_key_name: apiKeyName,
      details: detailsOf(subject),
    })
    .execute()
}

const stored = expressionBuilder<Schema, never>()

const storedNames = {
  user: (id: number) => stored.selectFrom("user").select("username as name").where("user.id", "=", id),
  collection: (id: number) => stored.selectFrom("collection").select("name").where("collection.id", "=", id),
  environment: (id: number) => stored.selectFrom("environment").select("name").where("environment.id", "=", id),
  api_key: (id: number) => stored.selectFrom("api_key").select("name").where("api_key.id", "=", id),
}

function nameOf(kind: keyof typeof storedNames, id: number | undefined, given?: string): string | Expression<string> {
  if (id === undefined || given !== undefined) return given ?? ""
  return stored.fn.coalesce(storedNames[kind](id), stored.val(""))
}

/** For events that name the environment alone. */
function collectionOf<Column extends "id" | "name">(environmentId: number | undefined, column: Column) {
  if (environmentId === undefined) return null
  return stored
    .selectFrom("collection")
    .innerJoin("environment", "environment.collection_id", "collection.id")
    .select(`collection.${column}`)
    .where("environment.id", "=", environmentId)
    .$asScalar()
}

function detailsOf({ names = [], counts = {}, productId }: Subject): string {
  return JSON.stringify({
    ...(names.length === 0 ? {} : { names: names.slice(0, maxNames), nameCount: names.length }),
    ...(productId === undefined ? {} : { productId }),
    ...counts,
  })
}
