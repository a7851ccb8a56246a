import type { CreateTableBuilder } from "kysely"
import type { Migration } from "../migrate.ts"
import type { Engine } from "../schema.ts"

/** API keys expire, can be disabled, limited to addresses and rolled. How often one is refused is counted. */
export const keyLife: Migration = {
  name: "016-key-life",
  async up(db, engine) {
    for (const column of ["expires_at", "disabled_at", "created_by_id", "replaced_by_id", "last_refused_at"]) {
      await db.schema.alterTable("api_key").addColumn(column, "bigint").execute()
    }
    for (const column of ["allowed_addresses", "note"]) {
      await db.schema
        .alterTable("api_key")
        .addColumn(column, "text", (text) => text.notNull().defaultTo(""))
        .execute()
    }
    await db.schema.alterTable("api_key").addColumn("last_used_from", "text").execute()

    await withId(db.schema.createTable("key_refusal"), engine)
      .addColumn("api_key_id", "bigint", (column) => column.notNull().references("api_key.id").onDelete("cascade"))
      .addColumn("day_at", "bigint", (column) => column.notNull())
      .addColumn("reason", "text", (column) => column.notNull())
      .addColumn("address", "text", (column) => column.notNull())
      .addColumn("refused", "bigint", (column) => column.notNull())
      .addColumn("last_at", "bigint", (column) => column.notNull())
      .addUniqueConstraint("key_refusal_sum", ["api_key_id", "day_at", "reason", "address"])
      .execute()
    await db.schema.createIndex("key_refusal_day").on("key_refusal").column("day_at").execute()
  },
}

function withId<Table extends string>(table: CreateTableBuilder<Table>, engine: Engine) {
  return engine === "sqlite"
    ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedByDefaultAsIdentity())
}
