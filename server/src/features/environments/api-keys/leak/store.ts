import { sql } from "kysely"
import type { Member } from "../../../../access/caller.ts"
import { reachEnvironment } from "../../../../access/reach.ts"
import { isLastVersion } from "../../../../bounds/last-versions.ts"
import type { Reader } from "../../../../db/schema.ts"

// Only `keyedEnvironment` finds something, within the caller's reach; all other queries take what it found.

export interface KeyedEnvironment {
  id: number
  name: string
  collectionId: number
  collectionName: string
  wrappedKey: Uint8Array
  itemCount: number
  historyFrom: number
  historyBytes: number
}

export function keyedEnvironment(
  db: Reader,
  caller: Member,
  environmentId: number,
): Promise<KeyedEnvironment | undefined> {
  return db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select([
      "environment.id",
      "environment.name",
      "environment.collection_id as collectionId",
      "environment.item_count as itemCount",
      "environment.history_from as historyFrom",
      "environment.history_bytes as historyBytes",
      "collection.name as collectionName",
      "collection.data_key as wrappedKey",
    ])
    .where("environment.id", "=", environmentId)
    .where(reachEnvironment(caller))
    .executeTakeFirst()
}

/** The last revision before a time. */
export async function revisionBefore(db: Reader, environmentId: number, time: number): Promise<number | undefined> {
  const row = await db
    .selectFrom("revision")
    .select("number")
    .where("environment_id", "=", environmentId)
    .where("created_at", "<", time)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst()
  return row?.number
}

export async function environmentNames(db: Reader, ids: readonly number[]): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom("environment")
    .select((eb) => ["id", eb.fn.coalesce("trashed_name", "name").as("name")])
    .where("id", "in", ids)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** What a revision wrote under a name, without the value. */
export interface WrittenName {
  name: string
  revision: number
  /** Of the revision. Null if it is no longer kept. */
  writtenAt: number | null
  action: string | null
  source: number | null
  removed: number
  previousName: string | null
}

export const rowsPerBatch = 500

function writtenNames(db: Reader, environmentId: number) {
  return db
    .selectFrom("item_version")
    .leftJoin("revision", (join) =>
      join
        .onRef("revision.environment_id", "=", "item_version.environment_id")
        .onRef("revision.number", "=", "item_version.revision"),
    )
    .select([
      "item_version.name",
      "item_version.revision",
      "item_version.previous_name as previousName",
      "revision.created_at as writtenAt",
      "revision.action",
      "revision.source",
      sql<number>`case when item_version.sealed_value is null and item_version.erased_at is null then 1 else 0 end`.as(
        "removed",
      ),
    ])
    .where("item_version.environment_id", "=", environmentId)
}

/** The last version of each name up to a revision, by name, one batch. */
export function namesAt(
  db: Reader,
  environmentId: number,
  batch: { revision: number; afterName: string },
): Promise<WrittenName[]> {
  return writtenNames(db, environmentId)
    .where(isLastVersion(environmentId, { ...batch, count: rowsPerBatch }))
    .orderBy("item_version.name")
    .execute()
}

/** What was written after one revision and up to another, the first first, one batch. */
export function namesWritten(
  db: Reader,
  environmentId: number,
  { after, upTo }: { after: Pick<WrittenName, "revision" | "name">; upTo: number },
): Promise<WrittenName[]> {
  return writtenNames(db, environmentId)
    .where((eb) =>
      eb.or([
        eb("item_version.revision", ">", after.revision),
        eb.and([eb("item_version.revision", "=", after.revision), eb("item_version.name", ">", after.name)]),
      ]),
    )
    .where("item_version.revision", ">=", after.revision)
    .where("item_version.revision", "<=", upTo)
    .orderBy("item_version.revision")
    .orderBy("item_version.name")
    .limit(rowsPerBatch)
    .execute()
}

const maxNetworks = 200

/** A sum of such numbers has another type on PostgreSQL. Null if there are none. */
const summedReads = sql<number>`cast(sum(reads) as bigint)`

export interface NetworkRow {
  network: string
  firstAt: number
  lastAt: number
  hours: number
  reads: number
  client: string
}

/** From where a key was used, the most recent first. */
export function networkRows(db: Reader, apiKeyId: number): Promise<NetworkRow[]> {
  return db
    .selectFrom("key_read")
    .select((eb) => [
      "address as network",
      eb.fn.min<number>("hour_at").as("firstAt"),
      eb.fn.max<number>("last_at").as("lastAt"),
      eb.fn.countAll<number>().as("hours"),
      summedReads.as("reads"),
      eb.fn.max<string>("client").as("client"),
    ])
    .where("api_key_id", "=", apiKeyId)
    .groupBy("address")
    .orderBy("lastAt", "desc")
    .limit(maxNetworks)
    .execute()
}

export async function readsOf(db: Reader, apiKeyId: number): Promise<number> {
  const row = await db
    .selectFrom("key_read")
    .select(summedReads.as("reads"))
    .where("api_key_id", "=", apiKeyId)
    .executeTakeFirst()
  return row?.reads ?? 0
}
