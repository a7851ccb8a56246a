import { type CreateTableBuilder, sql } from "kysely"
import type { Migration } from "../migrate.ts"
import type { Engine } from "../schema.ts"

export const initial: Migration = {
  name: "001-initial",
  async up(db, engine) {
    const bytes = engine === "sqlite" ? sql`blob` : sql`bytea`
    const table = (name: string) => withId(db.schema.createTable(name), engine)

    await table("user")
      .addColumn("username", "text", (column) => column.notNull())
      .addColumn("email", "text", (column) => column.notNull())
      .addColumn("email_key", "text", (column) => column.notNull().unique())
      .addColumn("password_hash", "text", (column) => column.notNull())
      .addColumn("is_admin", "integer", (column) => column.notNull().defaultTo(0))
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .execute()

    await table("session")
      .addColumn("user_id", "bigint", (column) => column.notNull().references("user.id").onDelete("cascade"))
      .addColumn("token_hash", "text", (column) => column.notNull().unique())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("seen_at", "bigint", (column) => column.notNull())
      .execute()
    await db.schema.createIndex("session_user_id").on("session").column("user_id").execute()
    await db.schema.createIndex("session_seen_at").on("session").column("seen_at").execute()

    await table("collection")
      .addColumn("owner_id", "bigint", (column) => column.notNull().references("user.id").onDelete("cascade"))
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("description", "text", (column) => column.notNull())
      .addColumn("data_key", bytes, (column) => column.notNull())
      .execute()
    await db.schema.createIndex("collection_owner_id").on("collection").columns(["owner_id", "id"]).execute()

    await table("environment")
      .addColumn("collection_id", "bigint", (column) =>
        column.notNull().references("collection.id").onDelete("cascade"),
      )
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("revision", "bigint", (column) => column.notNull().defaultTo(1))
      .addColumn("item_count", "integer", (column) => column.notNull().defaultTo(0))
      .addColumn("sealed_bytes", "integer", (column) => column.notNull().defaultTo(0))
      .addUniqueConstraint("environment_name", ["collection_id", "name"])
      .execute()

    await table("item")
      .addColumn("environment_id", "bigint", (column) =>
        column.notNull().references("environment.id").onDelete("cascade"),
      )
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("sealed_value", bytes, (column) => column.notNull())
      .addUniqueConstraint("item_name", ["environment_id", "name"])
      .execute()

    await table("api_key")
      .addColumn("environment_id", "bigint", (column) =>
        column.notNull().references("environment.id").onDelete("cascade"),
      )
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("key_hash", "text", (column) => column.notNull().unique())
      .addColumn("sealed_key", bytes, (column) => column.notNull())
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("last_used_at", "bigint")
      .addUniqueConstraint("api_key_name", ["environment_id", "name"])
      .execute()

    await table("product")
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("description", "text", (column) => column.notNull())
      .addColumn("type", "text", (column) => column.notNull())
      .addColumn("category", "text", (column) => column.notNull())
      .execute()

    await table("subscription")
      .addColumn("user_id", "bigint", (column) => column.notNull().references("user.id").onDelete("cascade"))
      .addColumn("product_id", "bigint", (column) => column.notNull().references("product.id").onDelete("cascade"))
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .execute()
    await db.schema.createIndex("subscription_user_id").on("subscription").column("user_id").execute()
    await db.schema.createIndex("subscription_product_id").on("subscription").column("product_id").execute()

    await db.schema
      .createTable("attempt")
      .addColumn("bucket", "text", (column) => column.primaryKey())
      .addColumn("count", "integer", (column) => column.notNull())
      .addColumn("resets_at", "bigint", (column) => column.notNull())
      .execute()
    await db.schema.createIndex("attempt_resets_at").on("attempt").column("resets_at").execute()

    await db.schema
      .createTable("canary")
      .addColumn("id", "integer", (column) => column.primaryKey())
      .addColumn("sealed", bytes, (column) => column.notNull())
      .execute()
  },
}

/** Ids are never given twice, not even after a delete: a sealed value is bound to its environment's id. */
function withId<Table extends string>(table: CreateTableBuilder<Table>, engine: Engine) {
  return engine === "sqlite"
    ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedByDefaultAsIdentity())
}
