import { sql } from "kysely"
import type { Migration } from "../migrate.ts"

/** One row while the root key is being replaced: each of the two keys, sealed under the other. */
export const rootKeyBridge: Migration = {
  name: "002-root-key-bridge",
  async up(db, engine) {
    const bytes = engine === "sqlite" ? sql`blob` : sql`bytea`
    await db.schema
      .createTable("root_key_bridge")
      .addColumn("id", "integer", (column) => column.primaryKey())
      .addColumn("next", bytes, (column) => column.notNull())
      .addColumn("previous", bytes, (column) => column.notNull())
      .addColumn("begun_at", "bigint", (column) => column.notNull())
      .execute()
  },
}
