import type { CreateTableBuilder } from "kysely"
import type { Migration } from "../migrate.ts"
import type { Engine } from "../schema.ts"

/** Passkeys, and what they are asked to sign. */
export const passkeys: Migration = {
  name: "021-passkeys",
  async up(db, engine) {
    await withId(db.schema.createTable("passkey"), engine)
      .addColumn("user_id", "bigint", (column) => column.notNull().references("user.id").onDelete("cascade"))
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("credential_id", "text", (column) => column.notNull().unique())
      .addColumn("public_key", "text", (column) => column.notNull())
      .addColumn("user_handle", "text", (column) => column.notNull())
      .addColumn("host", "text", (column) => column.notNull())
      .addColumn("counter", "bigint", (column) => column.notNull())
      .addColumn("transports", "text", (column) => column.notNull())
      .addColumn("is_multi_device", "integer", (column) => column.notNull())
      .addColumn("is_backed_up", "integer", (column) => column.notNull())
      .addColumn("aaguid", "text", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("last_used_at", "bigint")
      .execute()
    await db.schema.createIndex("passkey_user").on("passkey").column("user_id").execute()

    await withId(db.schema.createTable("passkey_challenge"), engine)
      .addColumn("challenge_hash", "text", (column) => column.notNull().unique())
      .addColumn("purpose", "text", (column) => column.notNull())
      .addColumn("user_id", "bigint", (column) => column.references("user.id").onDelete("cascade"))
      .addColumn("user_handle", "text")
      .addColumn("expires_at", "bigint", (column) => column.notNull())
      .execute()
    await db.schema.createIndex("passkey_challenge_user").on("passkey_challenge").column("user_id").execute()
    await db.schema.createIndex("passkey_challenge_expires").on("passkey_challenge").column("expires_at").execute()
  },
}

function withId<Table extends string>(table: CreateTableBuilder<Table>, engine: Engine) {
  return engine === "sqlite"
    ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedByDefaultAsIdentity())
}
