import type { CreateTableBuilder } from "kysely"
import type { Migration } from "../migrate.ts"
import type { Engine } from "../schema.ts"

/** Logins of the command that wait for their users. */
export const cliLogins: Migration = {
  name: "018-cli-logins",
  async up(db, engine) {
    await withId(db.schema.createTable("cli_login"), engine)
      .addColumn("device_hash", "text", (column) => column.notNull().unique())
      .addColumn("user_code_hash", "text", (column) => column.notNull().unique())
      .addColumn("machine", "text", (column) => column.notNull())
      .addColumn("address", "text", (column) => column.notNull())
      .addColumn("state", "text", (column) => column.notNull())
      .addColumn("user_id", "bigint", (column) => column.references("user.id").onDelete("cascade"))
      .addColumn("scope", "text")
      .addColumn("days", "integer")
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("expires_at", "bigint", (column) => column.notNull())
      .execute()
    await db.schema.createIndex("cli_login_user").on("cli_login").column("user_id").execute()
    await db.schema.createIndex("cli_login_expires").on("cli_login").column("expires_at").execute()
  },
}

function withId<Table extends string>(table: CreateTableBuilder<Table>, engine: Engine) {
  return engine === "sqlite"
    ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedByDefaultAsIdentity())
}
