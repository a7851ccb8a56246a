import type { Level } from "@envkeep/contract"
import type { Member, UserCaller } from "../../access/caller.ts"
import {
  type ReachParams,
  type ReachVariant,
  reach,
  reachingOf,
  reachPage,
  reachParams,
  reachVariant,
} from "../../access/reach.ts"
import { rolesOf } from "../../access/roles.ts"
import { byParents, inBatches } from "../../bounds/batches.ts"
import { hasRows } from "../../bounds/has-rows.ts"
import { isListed, type Listed, listed } from "../../db/listed.ts"
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
    .where(reachPage(db, reachingOf(given, variant), given))
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

/** With those that are being deleted forever: lists go through their memberships until the rows are gone. */
export function hasTrashedCollections(tx: Tx, user: Pick<UserCaller, "userId">, count: number): Promise<boolean> {
  const trashed = tx.selectFrom("collection").select("id").where("owner_id", "=", user.userId)
  return hasRows(trashed.where("trashed_at", "is not", null), count)
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

/** Without their environments. */
const collectionsPerStatement = 500

/** Of these collections, those that are in reach, with the caller's roles. */
export async function liveRoles(
  db: Reader,
  caller: Member,
  collectionIds: readonly number[],
): Promise<ReadonlyMap<number, Level>> {
  const found = await byParents(collectionIds, collectionsPerStatement, async (some) => {
    const roles = await rolesOf(db, caller, some)
    const given = { ...reachParams(caller), collectionIds: listed(db, some) }
    // Without a role, it was taken away between the two statements.
    return (await idsInReach(db, given, reachVariant(caller))).flatMap(({ id }) => {
      const role = roles.get(id)
      return role === undefined ? [] : [[id, role] as const]
    })
  })
  return new Map(found)
}

type AskedIds = ReachParams & { collectionIds: Listed }

const idsInReach = prepared((db: Reader, given: AskedIds, variant: ReachVariant) =>
  db
    .selectFrom("collection")
    .select("collection.id")
    .where(isListed(db, "collection.id", given.collectionIds))
    .where(reach(reachingOf(given, variant))),
)

/** What a screen of the collection must be told of. */
export interface LiveCollection {
  name: string
  description: string
  /** Different after any change but to roles, and to the names and items of its environments. */
  list: string
  /** In the order of their ids. */
  environments: LiveEnvironmentRow[]
}

interface LiveEnvironmentRow {
  id: number
  revision: number
  isProtected: boolean
  by: string | null
  at: string | null
}

/** Each is looked up with its last revision. A collection of an older version may have more. */
const environmentsPerStatement = 1_000

/** Undefined if it is not in reach. */
export async function liveCollection(
  db: Reader,
  caller: Member,
  collectionId: number,
): Promise<LiveCollection | undefined> {
  const found = await describedRow(db, caller, collectionId)
  if (found === undefined) return undefined
  const rows = await inBatches(environmentsPerStatement, (last: LiveRow | undefined) =>
    liveRows(db, { ...reachParams(caller), collectionId, lastId: last?.id ?? 0 }, reachVariant(caller)),
  )
  // If it went out of reach in between, it was found without environments.
  if ((await describedRow(db, caller, collectionId)) === undefined) return undefined
  const { name, description, describedRevision } = found
  const keys = rows.map(({ id, isProtected, keysRevision }) => [id, isProtected, keysRevision])
  return {
    name,
    description,
    list: JSON.stringify([name, description, describedRevision, keys]),
    environments: rows.map(({ id, revision, isProtected, actor, actorName, createdAt }) => ({
      id,
      revision,
      isProtected: isProtected === 1,
      by: actor === "server" ? null : actorName,
      at: createdAt === null ? null : isoTime(createdAt),
    })),
  }
}

function describedRow(db: Reader, caller: Member, collectionId: number) {
  return db
    .selectFrom("collection")
    .select(["name", "description", "described_revision as describedRevision"])
    .where("collection.id", "=", collectionId)
    .where(reach(caller))
    .executeTakeFirst()
}

type LiveRow = Awaited<ReturnType<typeof liveRows>>[number]

type LiveRowsAfter = ReachParams & { collectionId: number; lastId: number }

const liveRows = prepared((db: Reader, given: LiveRowsAfter, variant: ReachVariant) =>
  db
    .selectFrom("collection")
    .innerJoin("environment", "environment.collection_id", "collection.id")
    .leftJoin("revision", (join) =>
      join
        .onRef("revision.environment_id", "=", "environment.id")
        .onRef("revision.number", "=", "environment.revision"),
    )
    .select([
      "environment.id",
      "environment.revision",
      "environment.is_protected as isProtected",
      "environment.keys_revision as keysRevision",
      "revision.actor",
      "revision.actor_name as actorName",
      "revision.created_at as createdAt",
    ])
    .where("collection.id", "=", given.collectionId)
    .where(reach(reachingOf(given, variant)))
    .where("environment.trashed_at", "is", null)
    .where("environment.id", ">", given.lastId)
    .orderBy("environment.id")
    .limit(environmentsPerStatement),
)
