import type { Migration } from "../migrate.ts"

/** When a collection and an environment last changed. Null where that was before this migration: the time is unknown. */
export const changedAt: Migration = {
  name: "006-changed-at",
  async up(db) {
    await db.schema.alterTable("collection").addColumn("changed_at", "bigint").execute()
    await db.schema.alterTable("environment").addColumn("changed_at", "bigint").execute()
  },
}
