import type { Migration } from "../migrate.ts"

/** A revision that copied items says from which environment. */
export const copies: Migration = {
  name: "015-copies",
  async up(db) {
    await db.schema.alterTable("revision").addColumn("source_environment_id", "bigint").execute()
    await db.schema.alterTable("revision").addColumn("source_environment_name", "text").execute()
  },
}
