import type { Migration } from "../migrate.ts"

/** By this, open screens are told of every change to an environment's API keys. Before, only of new and deleted ones. */
export const changedKeys: Migration = {
  name: "031-changed-keys",
  async up(db) {
    await db.schema
      .alterTable("environment")
      .addColumn("keys_revision", "bigint", (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
