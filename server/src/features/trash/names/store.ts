import type { Member } from "../../../access/caller.ts"
import { reachAll } from "../../../access/reach.ts"
import { isListed, listed } from "../../../db/listed.ts"
import type { Reader, Tx } from "../../../db/schema.ts"

/** Of these names, those that a collection of the caller has. */
export async function takenByCollections(db: Reader, caller: Member, names: readonly string[]): Promise<string[]> {
  const rows = await db
    .selectFrom("collection")
    .select("collection.name")
    .where(reachAll(db, caller))
    .where(isListed(db, "collection.name", listed(db, names)))
    .execute()
  return rows.map((row) => row.name)
}

/** Of these names, those that an environment of the collection has. */
export async function takenByEnvironments(tx: Tx, collectionId: number, names: readonly string[]): Promise<string[]> {
  const rows = await tx
    .selectFrom("environment")
    .select("name")
    .where("collection_id", "=", collectionId)
    .where(isListed(tx, "name", listed(tx, names)))
    .execute()
  return rows.map((row) => row.name)
}
