import type { CreateTableBuilder } from "kysely"
import type { Migration } from "../migrate.ts"
import type { Engine } from "../schema.ts"

/** Personal tokens, from where a session was begun, and a quick way to find the administrators. */
export const tokens: Migration = {
  name: "011-tokens",
  async up(db, engine) {
    for (const column of ["address", "client"]) {
      await db.schema
        .alterTable("session")
        .addColumn(column, "text", (text) => text.notNull().defaultTo(""))
        .execute()
    }

    await withId(db.schema.createTable("token"), engine)
      .addColumn("user_id", "bigint", (column) => column.notNull().references("user.id").onDelete("cascade"))
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("token_hash", "text", (column) => column.notNull().unique())
      .addColumn("scope", "text", (column) => column.notNull())
      .addColumn("is_limited", "integer", (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("expires_at", "bigint")
      .addColumn("last_used_at", "bigint")
      .addColumn("last_used_by", "text")
      .addColumn("last_used_from", "text")
      .addUniqueConstraint("token_user_name", ["user_id", "name"])
      .execute()

    await withId(db.schema.createTable("token_collection"), engine)
      .addColumn("token_id", "bigint", (column) => column.notNull().references("token.id").onDelete("cascade"))
      .addColumn("collection_id", "bigint", (column) =>
        column.notNull().references("collection.id").onDelete("cascade"),
      )
      .addUniqueConstraint("token_collection_pair", ["token_id", "collection_id"])
      .execute()
    await db.schema.createIndex("user_is_admin").on("user").column("is_admin").execute()
    await db.schema.createIndex("token_collection_collection").on("token_collection").column("collection_id").execute()
  },
}

function withId<Table extends string>(table: CreateTableBuilder<Table>, engine: Engine) {
  return engine === "sqlite"
    ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedByDefaultAsIdentity())
}
