import type { Member, UserCaller } from "../../access/caller.ts"
import { reach } from "../../access/reach.ts"
import { inBatches } from "../../bounds/batches.ts"
import type { Reader, Tx } from "../../db/schema.ts"

// Every query here has the caller's reach in its WHERE. There is no unscoped find by id.

export interface CollectionRow {
  id: number
  name: string
  description: string
  changedAt: number | null
}

const rowsPerBatch = 5_000

const columns = [
  "collection.id",
  "collection.name",
  "collection.description",
  "collection.changed_at as changedAt",
] as const

export function collectionRows(db: Reader, caller: Member): Promise<CollectionRow[]> {
  const inOrder = db
    .selectFrom("collection")
    .select(columns)
    .where(reach(caller))
    .orderBy("collection.id")
    .limit(rowsPerBatch)
  return inBatches(rowsPerBatch, (last: CollectionRow | undefined) =>
    inOrder.where("collection.id", ">", last?.id ?? 0).execute(),
  )
}

export function collectionRow(db: Reader, caller: Member, id: number): Promise<CollectionRow | undefined> {
  return db
    .selectFrom("collection")
    .select(columns)
    .where("collection.id", "=", id)
    .where(reach(caller))
    .executeTakeFirst()
}

/** Does not wait for collections that are being made at the same time, so there can be a few more. */
export async function hasCollections(tx: Tx, caller: UserCaller, count: number): Promise<boolean> {
  const last = await tx
    .selectFrom("collection")
    .select("id")
    .where("owner_id", "=", caller.userId)
    .where("trashed_at", "is", null)
    .limit(1)
    .offset(count - 1)
    .executeTakeFirst()
  return last !== undefined
}

/** Without a key yet: the key is bound to the id, which exists only once the row is inserted. */
export function insertCollection(
  tx: Tx,
  caller: UserCaller,
  { name, description }: { name: string; description: string },
): Promise<CollectionRow> {
  return tx
    .insertInto("collection")
    .values({ owner_id: caller.userId, name, description, data_key: new Uint8Array(), changed_at: Date.now() })
    .returning(columns)
    .executeTakeFirstOrThrow()
}

/** For a row that the same transaction has inserted. */
export async function setDataKey(tx: Tx, { id }: CollectionRow, wrappedKey: Uint8Array): Promise<void> {
  await tx.updateTable("collection").set({ data_key: wrappedKey }).where("id", "=", id).execute()
}

export function updateCollection(
  tx: Tx,
  caller: Member,
  { id, name, description }: { id: number; name: string; description?: string | undefined },
): Promise<CollectionRow | undefined> {
  return tx
    .updateTable("collection")
    .set((eb) => ({
      name,
      ...(description !== undefined && { description }),
      changed_at: eb
        .case()
        .when(
          eb.and([eb("name", "=", name), ...(description === undefined ? [] : [eb("description", "=", description)])]),
        )
        .then(eb.ref("changed_at"))
        .else(Date.now())
        .end(),
    }))
    .where("collection.id", "=", id)
    .where(reach(caller))
    .returning(columns)
    .executeTakeFirst()
}

export function trashCollection(tx: Tx, caller: Member, id: number): Promise<{ name: string } | undefined> {
  return tx
    .updateTable("collection")
    .set((eb) => ({
      trashed_at: Date.now(),
      trashed_by: eb.selectFrom("user").select("username").where("user.id", "=", caller.userId),
    }))
    .where("collection.id", "=", id)
    .where(reach(caller))
    .returning("collection.name")
    .executeTakeFirst()
}

/** What a screen of the collection must be told of. */
export interface LiveCollection {
  id: number
  /** Different after any change but to the names and items of its environments. */
  list: string
  environments: ReadonlyMap<number, { revision: number; by: string | null; at: string | null }>
}

const collectionsPerStatement = 64

/** Of collections that users follow, those that are in their reach. Each collection may be asked for once. */
export async function liveCollections(
  db: Reader,
  followed: readonly { caller: Member; collectionId: number }[],
): Promise<LiveCollection[]> {
  const found: LiveCollection[] = []
  for (let start = 0; start < followed.length; start += collectionsPerStatement) {
    const rows = await liveRows(db, followed.slice(start, start + collectionsPerStatement))
    for (const [id, ofCollection] of Map.groupBy(rows, (row) => row.id)) found.push(liveCollection(id, ofCollection))
  }
  return found
}

type LiveRow = Awaited<ReturnType<typeof liveRows>>[number]

function liveRows(db: Reader, followed: readonly { caller: Member; collectionId: number }[]) {
  return db
    .selectFrom("collection")
    .leftJoin("environment", (join) =>
      join.onRef("environment.collection_id", "=", "collection.id").on("environment.trashed_at", "is", null),
    )
    .leftJoin("revision", (join) =>
      join
        .onRef("revision.environment_id", "=", "environment.id")
        .onRef("revision.number", "=", "environment.revision"),
    )
    .select((eb) => [
      "collection.id",
      "collection.name",
      "collection.description",
      "environment.id as environmentId",
      "environment.revision",
      "revision.actor",
      "revision.actor_name as actorName",
      "revision.created_at as createdAt",
      // Keys are only added and deleted, and no id is used twice.
      eb
        .selectFrom("api_key")
        .select((eb) => eb.fn.countAll<number>().as("count"))
        .whereRef("api_key.environment_id", "=", "environment.id")
        .as("apiKeys"),
      eb
        .selectFrom("api_key")
        .select((eb) => eb.fn.max("api_key.id").as("last"))
        .whereRef("api_key.environment_id", "=", "environment.id")
        .as("lastApiKey"),
    ])
    .where((eb) =>
      eb.or(
        followed.map(({ caller, collectionId }) => eb.and([eb("collection.id", "=", collectionId), reach(caller)])),
      ),
    )
    .orderBy("collection.id")
    .orderBy("environment.id")
    .execute()
}

function liveCollection(id: number, rows: readonly LiveRow[]): LiveCollection {
  const environments = new Map<number, { revision: number; by: string | null; at: string | null }>()
  const keys: unknown[] = []
  for (const row of rows) {
    if (row.environmentId === null || row.revision === null) continue
    environments.set(row.environmentId, {
      revision: row.revision,
      by: row.actor === "server" ? null : row.actorName,
      at: row.createdAt === null ? null : new Date(row.createdAt).toISOString(),
    })
    keys.push([row.environmentId, row.apiKeys, row.lastApiKey])
  }
  return { id, list: JSON.stringify([rows[0]?.name, rows[0]?.description, keys]), environments }
}
