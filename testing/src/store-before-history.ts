import { migrations } from "@envkeep/server/db/migrations/list.ts"
import { migrate } from "@envkeep/server/db/migrator.ts"
import { openDatabase } from "@envkeep/server/db/open.ts"
import type { Db } from "@envkeep/server/db/schema.ts"
import { openVault } from "@envkeep/server/keys/root-key.ts"
import { sql } from "kysely"
import type { StoreLocation } from "./store-location.ts"

/** The migrations of the version before history. */
export const earlier = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name === "007-history"),
)

/** A store as the version before history left it, with environments of so many items. */
export async function storeBefore(location: StoreLocation, itemCounts: number[]): Promise<void> {
  await withStore(location, async (db) => {
    await migrate(db, { all: earlier })
    await openVault(db, { rootKey: undefined, dataDir: location.dataDir }, () => undefined)
    await sql`insert into "user" (id, username, email, email_key, password_hash, created_at)
      values (1, 'ann', 'a@b', 'a@b', '', 1)`.execute(db)
    await sql`insert into collection (id, owner_id, name, description, data_key)
      values (1, 1, 'c', '', ${Buffer.from("key")})`.execute(db)
    for (const [index, count] of itemCounts.entries()) {
      await sql`insert into environment (id, collection_id, name, revision, item_count, sealed_bytes)
        values (${index + 1}, 1, ${`e${index}`}, ${7 + index}, ${count}, ${count * 40})`.execute(db)
      await sql`insert into item (environment_id, name, sealed_value)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
        select ${index + 1}, 'NAME_' || n, ${Buffer.alloc(40, 7)} from numbers`.execute(db)
    }
  })
}

export async function withStore<Result>(location: StoreLocation, work: (db: Db) => Promise<Result>): Promise<Result> {
  const { db } = await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}
