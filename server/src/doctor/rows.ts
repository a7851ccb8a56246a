import type { KeyObject } from "node:crypto"
import { setImmediate as nextTurn } from "node:timers/promises"
import type { Db } from "../db/schema.ts"
import { type DataKey, openSecret, unwrapDataKey } from "../keys/secrets.ts"
import { hashToken } from "../keys/token.ts"
import { type Finding, firstOf, ok, shown } from "./finding.ts"

/** Few enough that a piece of the largest values fits in memory many times over. */
const pieceSize = 200

interface Damage {
  sentences: string[]
  count: number
}

/** Opens everything that is sealed, a piece at a time, and names what does not open. Never shows what does. */
export async function checkRows(snapshot: Db, rootKeys: KeyObject[]): Promise<Finding[]> {
  const collections = await checkCollections(snapshot, rootKeys)
  const keyOf = keyMemory(rootKeys)
  const items = await checkEach(itemsAfter(snapshot), (row) => {
    const dataKey = keyOf(row.collectionId, row.wrapped)
    const place = { kind: "item", environmentId: row.environmentId, name: row.name } as const
    return dataKey === undefined || openSecret(dataKey, row.sealed, place) !== null
      ? undefined
      : `The item ${where(row)} does not open: set its value again, or delete it`
  })
  const apiKeys = await checkEach(apiKeysAfter(snapshot), (row) => {
    const dataKey = keyOf(row.collectionId, row.wrapped)
    if (dataKey === undefined) return undefined
    const place = { kind: "api-key", environmentId: row.environmentId, name: row.name } as const
    const key = openSecret(dataKey, row.sealed, place)
    if (key === null) return `The API key ${where(row)} does not open: it works, but cannot be shown; make a new one`
    return hashToken(key) === row.hash
      ? undefined
      : `The API key ${where(row)} is not the one that works: make a new one`
  })
  return [...told(collections, "collection"), ...told(items, "item"), ...told(apiKeys, "API key")]
}

function told({ total, damage }: { total: number; damage: Damage }, one: string): Finding[] {
  if (damage.count > 0) return firstOf(damage.sentences, damage.count, (more) => `${more} more ${one}s do not open`)
  if (total === 0) return [ok(`There is no ${one} to open`)]
  return [ok(total === 1 ? `The one ${one} opens` : `All ${total.toLocaleString("en-US")} ${one}s open`)]
}

function where({ name, environment, collection, id }: Secret): string {
  return `${shown(name)} in ${shown(environment)} of ${shown(collection)} (id ${id})`
}

async function checkCollections(snapshot: Db, rootKeys: KeyObject[]) {
  const after = (last: number) =>
    snapshot
      .selectFrom("collection")
      .select(["id", "name", "data_key as wrapped"])
      .where("id", ">", last)
      .orderBy("id")
      .limit(pieceSize)
      .execute()
  return checkEach(after, ({ id, name, wrapped }) =>
    unwrapDataKey(rootKeys, id, wrapped) === undefined
      ? `The key of the collection ${shown(name)} (id ${id}) does not open, and with it none of its values: restore a backup`
      : undefined,
  )
}

async function checkEach<Row extends { id: number }>(
  after: (last: number) => Promise<Row[]>,
  faultOf: (row: Row) => string | undefined,
): Promise<{ total: number; damage: Damage }> {
  const damage: Damage = { sentences: [], count: 0 }
  let total = 0
  for (let last = 0; ; ) {
    const rows = await after(last)
    const end = rows.at(-1)
    if (end === undefined) return { total, damage }
    last = end.id
    total += rows.length
    for (const row of rows) {
      const sentence = faultOf(row)
      if (sentence === undefined) continue
      damage.count += 1
      if (damage.sentences.length < 100) damage.sentences.push(sentence)
    }
    await nextTurn()
  }
}

interface Secret {
  id: number
  name: string
  environmentId: number
  environment: string
  collectionId: number
  collection: string
  wrapped: Uint8Array
  sealed: Uint8Array
}

const placeColumns = [
  "environment.id as environmentId",
  "environment.name as environment",
  "collection.id as collectionId",
  "collection.name as collection",
  "collection.data_key as wrapped",
] as const

function itemsAfter(snapshot: Db) {
  return (last: number): Promise<Secret[]> =>
    snapshot
      .selectFrom("item")
      .innerJoin("environment", "environment.id", "item.environment_id")
      .innerJoin("collection", "collection.id", "environment.collection_id")
      .select(["item.id", "item.name", "item.sealed_value as sealed", ...placeColumns])
      .where("item.id", ">", last)
      .orderBy("item.id")
      .limit(pieceSize)
      .execute()
}

function apiKeysAfter(snapshot: Db) {
  return (last: number): Promise<(Secret & { hash: string })[]> =>
    snapshot
      .selectFrom("api_key")
      .innerJoin("environment", "environment.id", "api_key.environment_id")
      .innerJoin("collection", "collection.id", "environment.collection_id")
      .select([
        "api_key.id",
        "api_key.name",
        "api_key.sealed_key as sealed",
        "api_key.key_hash as hash",
        ...placeColumns,
      ])
      .where("api_key.id", ">", last)
      .orderBy("api_key.id")
      .limit(pieceSize)
      .execute()
}

/** Neighbouring rows are mostly of one collection, whose key need not be opened for each of them. */
function keyMemory(rootKeys: KeyObject[]): (collectionId: number, wrapped: Uint8Array) => DataKey {
  const known = new Map<number, DataKey>()
  return (collectionId, wrapped) => {
    if (known.size > 1_000) known.clear()
    if (!known.has(collectionId)) known.set(collectionId, unwrapDataKey(rootKeys, collectionId, wrapped))
    return known.get(collectionId)
  }
}
