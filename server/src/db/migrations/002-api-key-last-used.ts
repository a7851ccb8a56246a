import type { Migration } from "../migrate.ts"

export const apiKeyLastUsed: Migration = {
  name: "002-api-key-last-used",
  async up(db) {
    await db.schema.alterTable("api_key").addColumn("last_used_at", "bigint").execute()
  },
}
