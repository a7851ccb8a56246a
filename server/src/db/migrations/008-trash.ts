import { sql } from "kysely"
import type { Migration } from "../migrate.ts"

/** Deleted collections and environments stay in the trash for a while. */
export const trash: Migration = {
  name: "008-trash",
  async up(db) {
    for (const table of ["collection", "environment"]) {
      await db.schema.alterTable(table).addColumn("trashed_at", "bigint").execute()
      await db.schema.alterTable(table).addColumn("trashed_by", "text").execute()
      // Only over what is in the trash, so that it costs other rows nothing.
      await db.schema
        .createIndex(`${table}_trashed_at`)
        .on(table)
        .column("trashed_at")
        .where(sql.ref("trashed_at"), "is not", null)
        .execute()
    }
    await db.schema.alterTable("environment").addColumn("trashed_name", "text").execute()
  },
}
