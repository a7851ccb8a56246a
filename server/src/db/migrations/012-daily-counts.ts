import { sql } from "kysely"
import type { Migration } from "../migrate.ts"

/** What the admin area shows: when accounts last signed in, and how many of each thing there were on each day. */
export const dailyCounts: Migration = {
  name: "012-daily-counts",
  async up(db, engine) {
    await db.schema.alterTable("user").addColumn("last_sign_in_at", "bigint").execute()
    await sql`
      update "user" set last_sign_in_at =
        (select max(session.created_at) from session where session.user_id = "user".id)`.execute(db)
    // The orders in which administrators read the list of accounts. There is none by bytes: every write would pay for it.
    await db.schema.createIndex("user_by_name").on("user").expression(sql`lower(username), id`).execute()
    await db.schema
      .createIndex("user_last_sign_in")
      .on("user")
      .expression(sql`coalesce(last_sign_in_at, 0), id`)
      .execute()

    const table = db.schema.createTable("daily_count")
    const withId =
      engine === "sqlite"
        ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
        : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedByDefaultAsIdentity())
    await withId
      .addColumn("day", "text", (column) => column.notNull().unique())
      .addColumn("products", "bigint", (column) => column.notNull())
      .addColumn("users", "bigint", (column) => column.notNull())
      .addColumn("collections", "bigint", (column) => column.notNull())
      .addColumn("environments", "bigint", (column) => column.notNull())
      .addColumn("items", "bigint", (column) => column.notNull())
      .addColumn("subscriptions", "bigint", (column) => column.notNull())
      .execute()
  },
}
