import type { Migration } from "../migrate.ts"

/** Reset links that were sent by mail, apart from those of administrators. */
export const mailedResets: Migration = {
  name: "025-mailed-resets",
  async up(db) {
    await db.schema
      .createTable("mailed_reset")
      .addColumn("user_id", "bigint", (column) => column.primaryKey().references("user.id").onDelete("cascade"))
      .addColumn("token_hash", "text", (column) => column.notNull().unique())
      .addColumn("expires_at", "bigint", (column) => column.notNull())
      .addColumn("used_at", "bigint")
      .execute()
  },
}
