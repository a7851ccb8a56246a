import { sql } from "kysely"
import type { Migration } from "../migrate.ts"

/** What each account stores: its sealed values, and 512 bytes for each collection, environment, item and API key. */
export const storedBytes: Migration = {
  name: "003-stored-bytes",
  async up(db) {
    await db.schema
      .alterTable("user")
      .addColumn("stored_bytes", "bigint", (column) => column.notNull().defaultTo(0))
      .execute()
    await sql`
      update "user" set stored_bytes =
        512 * (select count(*) from collection where collection.owner_id = "user".id)
        + (select coalesce(sum(environment.sealed_bytes + 512 * (1 + environment.item_count)), 0)
          from environment join collection on collection.id = environment.collection_id
          where collection.owner_id = "user".id)
        + 512 * (select count(*)
          from api_key join environment on environment.id = api_key.environment_id
          join collection on collection.id = environment.collection_id
          where collection.owner_id = "user".id)`.execute(db)
  },
}
