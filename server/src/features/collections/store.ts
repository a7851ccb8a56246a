import type { Level } from "@envkeep/contract"
import type { Member, UserCaller } from "../../access/caller.ts"
import {
  type ReachParams,
  type ReachVariant,
  reach,
  reachAll,
  reachingOf,
  reachParams,
  reachVariant,
} from "../../access/reach.ts"
import { rolesIn } from "../../access/roles.ts"
import { prepared } from "../../db/prepared.ts"
import type { Reader, Tx } from "../../db/schema.ts"
import { isoTime } from "../../iso-time.ts"

// Every query here has the caller's reach in its WHERE. There is no unscoped find by id.

export interface CollectionRow {
  id: number
  name: string
  description: string
  changedAt: number | null
}

const columns = [
  "collection.id",
  "collection.name",
  "collection.description",
  "collection.changed_at as changedAt",
] as const

/** Those with ids after this one, by id. */
export function collectionRowsAfter(
  db: Reader,
  caller: Member,
  { lastId, count }: { lastId: number; count: number },
): Promise<CollectionRow[]> {
  return rowsAfter(db, { ...reachParams(caller), lastId, count }, reachVariant(caller))
}

type RowsAfter = ReachParams & { lastId: number; count: number }

const rowsAfter = prepared((db: Reader, given: RowsAfter, variant: ReachVariant) =>
  db
    .selectFrom("collection")
    .select(columns)
    .where(reachAll(reachingOf(given, variant)))
    .where("collection.id", ">", given.lastId)
    .orderBy("collection.id")
    .limit(given.count),
)

export function collectionRow(db: Reader, caller: Member, id: number): Promise<CollectionRow | undefined> {
  return db
    .selectFrom("collection")
    .select(columns)
    .where("collection.id", "=", id)
    .where(reach(caller))
    .executeTakeFirst()
}

/** Does not wait for collections that are being made at the same time, so there can be a few more. */
export async function hasCollections(tx: Tx, user: Pick<UserCaller, "userId">, count: number): Promise<boolean> {
  const last = await tx
    .selectFrom("collection")
    .select("id")
    .where("owner_id", "=", user.userId)
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
export async function insertOwner(tx: Tx, caller: UserCaller, { id }: CollectionRow): Promise<void> {
  await tx
    .insertInto("collection_member")
    .values({ collection_id: id, user_id: caller.userId, role: "owner", created_at: Date.now() })
    .execute()
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
  name: string
  description: string
  role: Level
  /** Different after any change but to the names and items of its environments. */
  list: string
  environments: ReadonlyMap<number, LiveEnvironmentRow>
}

interface LiveEnvironmentRow {
  revision: number
  isProtected: boolean
  by: string | null
  at: string | null
}

const collectionsPerStatement = 64

/** Of collections that users follow, those that are in their reach. Each collection may be asked for once. */
export async function liveCollections(
  db: Reader,
  followed: readonly { caller: Member; collectionId: number }[],
): Promise<LiveCollection[]> {
  const found: LiveCollection[] = []
  for (let start = 0; start < followed.length; start += collectionsPerStatement) {
    const some = followed.slice(start, start + collectionsPerStatement)
    const asked = some.map(({ caller, collectionId }) => ({ userId: caller.userId, collectionId }))
    const roles = await rolesIn(db, asked)
    for (const [id, rows] of Map.groupBy(await liveRows(db, some), (row) => row.id)) {
      const [role, [first]] = [roles.get(id), rows]
      // Without a role, it was taken away between the two statements.
      if (role !== undefined && first !== undefined) found.push(liveCollection(first, rows, role))
    }
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
      "collection.described_revision as describedRevision",
      "environment.id as environmentId",
      "environment.revision",
      "environment.is_protected as isProtected",
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

function liveCollection(
  { id, name, description, describedRevision }: LiveRow,
  rows: readonly LiveRow[],
  role: Level,
): LiveCollection {
  const environments = new Map<number, LiveEnvironmentRow>()
  const keys: unknown[] = []
  for (const row of rows) {
    if (row.environmentId === null || row.revision === null) continue
    environments.set(row.environmentId, {
      revision: row.revision,
      isProtected: row.isProtected === 1,
      by: row.actor === "server" ? null : row.actorName,
      at: row.createdAt === null ? null : isoTime(row.createdAt),
    })
    keys.push([row.environmentId, row.isProtected, row.apiKeys, row.lastApiKey])
  }
  const list = JSON.stringify([name, description, describedRevision, role, keys])
  return { id, name, description, role, list, environments }
}
