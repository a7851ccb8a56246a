import { openDatabase } from "@envkeep/server/db/open.ts"
import type { Db } from "@envkeep/server/db/schema.ts"
import { sql } from "kysely"
import type { Stock } from "./stock.ts"
import type { StoreLocation } from "./store-location.ts"

const environmentsPerCollection = 10
const batch = 2_000

/**
 * Fills the store up to `items` items, directly in the database: copies of an environment with its items and its key, ten
 * in each collection. The copied values do not decrypt, because they are bound to another environment; no one reads them.
 */
export async function seed(
  location: StoreLocation,
  { environment, collectionId }: Stock,
  items: number,
): Promise<void> {
  const { db } = await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir })
  const copies = items / environment.itemCount - 1
  await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i * ${sql.lit(environmentsPerCollection)} < ${sql.lit(copies)})
    insert into collection (owner_id, name, description, data_key)
    select owner_id, 'app ' || i, '', data_key from collection cross join n where id = ${collectionId}`.execute(db)
  await sql`insert into collection_member (collection_id, user_id, role, created_at)
    select id, owner_id, 'owner', 0 from collection where id <> ${collectionId}`.execute(db)
  await sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(environmentsPerCollection)})
    insert into environment (collection_id, name, revision, item_count)
    select collection.id, 'stage ' || i, 1, ${sql.lit(environment.itemCount)} from collection cross join n
    where collection.id <> ${collectionId} order by collection.id limit ${sql.lit(copies)}`.execute(db)
  await sql`insert into api_key (environment_id, name, key_hash, sealed_key, created_at)
    select environment.id, api_key.name, 'copy ' || environment.id, sealed_key, created_at
    from environment cross join api_key
    where api_key.environment_id = ${environment.id} and environment.id <> ${environment.id}`.execute(db)
  const last = environment.id + copies
  for (let from = environment.id; from < last; from += batch) await copyItems(db, environment.id, from)
  const { count } = await db
    .selectFrom("item")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .executeTakeFirstOrThrow()
  if (count !== items) throw new Error(`${count} items were stored, not ${items}`)
  // Like a store in use for some time: statistics are known, and no cleanup runs while we measure.
  await (location.databaseUrl !== undefined ? sql`vacuum analyze` : sql`pragma wal_checkpoint(truncate)`).execute(db)
  await db.destroy()
}

async function copyItems(db: Db, original: number, from: number): Promise<void> {
  await sql`insert into item (environment_id, name, sealed_value)
    select environment.id, item.name, item.sealed_value from environment cross join item
    where item.environment_id = ${original} and environment.id > ${from} and environment.id <= ${from + batch}`.execute(
    db,
  )
}
