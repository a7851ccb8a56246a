import { sql } from "kysely"
import type { Migration } from "../migrate.ts"

/** Deleted collections and environments stay in the trash for a while. */
export const trash: Migration = {
  name: "008-trash",
  async up(db) {
    const trashedAt = sql.ref("trashed_at")
    for (const [table, parent] of [
      ["collection", "owner_id"],
      ["environment", "collection_id"],
    ] as const) {
      await db.schema.alterTable(table).addColumn("trashed_at", "bigint").execute()
      await db.schema.alterTable(table).addColumn("trashed_by", "text").execute()
      const index = (name: string) => db.schema.createIndex(`${table}_${name}`).on(table)
      // A full trash must not make lists of what is not in it slower, nor the other way round.
      await index("live").columns([parent, "id"]).where(trashedAt, "is", null).execute()
      await index("trashed").columns([parent, "trashed_at"]).where(trashedAt, "is not", null).execute()
      // For the job that deletes forever what has been there for too long.
      await index("trashed_at").column("trashed_at").where(trashedAt, "is not", null).execute()
    }
    await db.schema.alterTable("environment").addColumn("trashed_name", "text").execute()
  },
}
