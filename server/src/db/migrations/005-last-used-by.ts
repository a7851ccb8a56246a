import type { Migration } from "../migrate.ts"

/** Which program used a key last, next to when. */
export const lastUsedBy: Migration = {
  name: "005-last-used-by",
  async up(db) {
    await db.schema.alterTable("api_key").addColumn("last_used_by", "text").execute()
  },
}
