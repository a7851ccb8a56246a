import { type CreateTableBuilder, sql } from "kysely"
import type { Migration } from "../migrate.ts"
import type { Engine } from "../schema.ts"

/** Authenticator apps, recovery codes, logins between their two steps, and when a session was last confirmed. */
export const secondFactors: Migration = {
  name: "020-second-factors",
  async up(db, engine) {
    const bytes = engine === "sqlite" ? sql`blob` : sql`bytea`
    // 0: users who are logged in already confirm before their first sensitive call.
    for (const column of ["confirmed_at", "has_provider_factor"] as const) {
      const type = column === "confirmed_at" ? "bigint" : "integer"
      await db.schema
        .alterTable("session")
        .addColumn(column, type, (number) => number.notNull().defaultTo(0))
        .execute()
    }

    await withId(db.schema.createTable("totp"), engine)
      .addColumn("user_id", "bigint", (column) => column.notNull().unique().references("user.id").onDelete("cascade"))
      .addColumn("sealed_secret", bytes, (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("confirmed_at", "bigint")
      .addColumn("last_step", "bigint", (column) => column.notNull().defaultTo(0))
      .execute()

    await withId(db.schema.createTable("recovery_code"), engine)
      .addColumn("user_id", "bigint", (column) => column.notNull().references("user.id").onDelete("cascade"))
      .addColumn("code_hash", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addUniqueConstraint("recovery_code_user_hash", ["user_id", "code_hash"])
      .execute()

    await withId(db.schema.createTable("pending_sign_in"), engine)
      .addColumn("token_hash", "text", (column) => column.notNull().unique())
      .addColumn("user_id", "bigint", (column) => column.notNull().references("user.id").onDelete("cascade"))
      .addColumn("checked_hash", "text", (column) => column.notNull())
      .addColumn("address", "text", (column) => column.notNull())
      .addColumn("tries", "integer", (column) => column.notNull().defaultTo(0))
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("expires_at", "bigint", (column) => column.notNull())
      .execute()
    await db.schema.createIndex("pending_sign_in_user").on("pending_sign_in").columns(["user_id", "id"]).execute()
    await db.schema.createIndex("pending_sign_in_expires").on("pending_sign_in").column("expires_at").execute()

    await db.schema
      .createTable("factor_link")
      .addColumn("user_id", "bigint", (column) => column.primaryKey().references("user.id").onDelete("cascade"))
      .addColumn("token_hash", "text", (column) => column.notNull().unique())
      .addColumn("expires_at", "bigint", (column) => column.notNull())
      .addColumn("used_at", "bigint")
      .execute()
  },
}

function withId<Table extends string>(table: CreateTableBuilder<Table>, engine: Engine) {
  return engine === "sqlite"
    ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedByDefaultAsIdentity())
}
