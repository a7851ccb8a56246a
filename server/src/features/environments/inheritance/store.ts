import { limits } from "@envkeep/contract"
import { locksRows } from "../../../db/engine.ts"
import type { Reader, Tx } from "../../../db/schema.ts"

// What an environment inherits from, and what inherits from it. All of them are in its collection, so the queries take an
// environment that was found within the caller's reach, or by a key.

export interface Base {
  id: number
  sealedBytes: number
}

/** What an environment inherits from, nearest first. One statement: each level is a join. */
export async function basesOf(db: Reader, environmentId: number): Promise<Base[]> {
  const row = await db
    .selectFrom("environment")
    .leftJoin("environment as first", "first.id", "environment.base_id")
    .leftJoin("environment as second", "second.id", "first.base_id")
    .leftJoin("environment as third", "third.id", "second.base_id")
    .leftJoin("environment as fourth", "fourth.id", "third.base_id")
    .select([
      "first.id as firstId",
      "first.sealed_bytes as firstBytes",
      "second.id as secondId",
      "second.sealed_bytes as secondBytes",
      "third.id as thirdId",
      "third.sealed_bytes as thirdBytes",
      "fourth.id as fourthId",
      "fourth.sealed_bytes as fourthBytes",
    ])
    .where("environment.id", "=", environmentId)
    .executeTakeFirst()
  if (row === undefined) return []
  const levels = [
    [row.firstId, row.firstBytes],
    [row.secondId, row.secondBytes],
    [row.thirdId, row.thirdBytes],
    [row.fourthId, row.fourthBytes],
  ] as const satisfies { length: typeof limits.inheritanceLevels }
  return levels.flatMap(([id, sealedBytes]) => (id === null || sealedBytes === null ? [] : [{ id, sealedBytes }]))
}

export interface Heir {
  id: number
  name: string
  baseId: number | null
  isProtected: boolean
}

/** What inherits from an environment: its direct heirs, then theirs, and so on. */
export function heirLevels(db: Reader, environmentId: number): Promise<Heir[][]> {
  return levelsBelow(db, environmentId, { isLocking: false })
}

/** The same, locked until the transaction ends: below a locked environment, nothing else becomes an heir until then. */
export function lockHeirLevels(tx: Tx, environmentId: number): Promise<Heir[][]> {
  return levelsBelow(tx, environmentId, { isLocking: locksRows(tx) })
}

async function levelsBelow(
  db: Reader,
  environmentId: number,
  { isLocking }: { isLocking: boolean },
): Promise<Heir[][]> {
  const levels: Heir[][] = []
  for (let ids = [environmentId]; ids.length > 0 && levels.length <= limits.inheritanceLevels; ) {
    const rows = await db
      .selectFrom("environment")
      .select(["id", "name", "base_id as baseId", "is_protected as protection"])
      .where("base_id", "in", ids)
      .where("trashed_at", "is", null)
      .orderBy("id")
      .$if(isLocking, (query) => query.forUpdate())
      .execute()
    if (rows.length > 0) levels.push(rows.map(({ protection, ...row }) => ({ ...row, isProtected: protection === 1 })))
    ids = rows.map(({ id }) => id)
  }
  return levels
}

/** Another base changes what readers get, so it raises the revision. Returns the new one. */
export async function setBase(tx: Tx, { id }: { id: number }, baseId: number | null): Promise<number> {
  const { revision } = await tx
    .updateTable("environment")
    .set((eb) => ({ base_id: baseId, revision: eb("revision", "+", 1), changed_at: Date.now() }))
    .where("id", "=", id)
    .returning("revision")
    .executeTakeFirstOrThrow()
  return revision
}

/** For a change that raises the revision itself. */
export async function setBaseOnly(tx: Tx, { id }: { id: number }, baseId: number | null): Promise<void> {
  await tx.updateTable("environment").set({ base_id: baseId }).where("id", "=", id).execute()
}

export async function protect(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.updateTable("environment").set({ is_protected: 1 }).where("id", "in", ids).execute()
}

/** What an environment inherits from now, without a lock. */
export async function currentBase(tx: Tx, environmentId: number): Promise<number | null> {
  const row = await tx.selectFrom("environment").select("base_id").where("id", "=", environmentId).executeTakeFirst()
  return row?.base_id ?? null
}
