import type { Migration } from "../migrate.ts"

/** Accounts can be disabled, and an administrator can give out a link that sets a new password: at most one per account. */
export const resetAndDisable: Migration = {
  name: "004-reset-and-disable",
  async up(db) {
    await db.schema.alterTable("user").addColumn("disabled_at", "bigint").execute()
    await db.schema
      .createTable("password_reset")
      .addColumn("user_id", "bigint", (column) => column.primaryKey().references("user.id").onDelete("cascade"))
      .addColumn("token_hash", "text", (column) => column.notNull().unique())
      .addColumn("expires_at", "bigint", (column) => column.notNull())
      .addColumn("used_at", "bigint")
      .execute()
  },
}
