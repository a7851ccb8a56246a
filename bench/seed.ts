import type { Db } from "@envkeep/server/db/schema.ts"
import { sql } from "kysely"
import type { Stock } from "./stock.ts"

const environmentsPerCollection = 10
const batch = 2_000

/**
 * Fills a store up to `count` environments, directly in the database: copies of the one that is there with its items and
 * its key, ten in each collection. The copied values do not decrypt, because they are bound to another environment; no one
 * reads them.
 */
export const copyEnvironments =
  (count: number) =>
  async (db: Db, { environment, collectionId }: Stock): Promise<void> => {
    const copies = count - 1
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

    for (let from = environment.id; from < environment.id + copies; from += batch) {
      await sql`insert into item (environment_id, name, sealed_value)
      select environment.id, item.name, item.sealed_value from environment cross join item
      where item.environment_id = ${environment.id}
        and environment.id > ${from} and environment.id <= ${from + batch}`.execute(db)
    }
    const stored = await db
      .selectFrom("item")
      .select((eb) => eb.fn.countAll<number>().as("items"))
      .executeTakeFirst()
    if (stored?.items !== count * environment.itemCount) throw new Error(`${stored?.items} items were stored`)
  }
