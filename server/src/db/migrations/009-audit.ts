import { type CreateTableBuilder, sql } from "kysely"
import type { Migration } from "../migrate.ts"
import type { Engine } from "../schema.ts"

/**
 * The audit trail: its events, the state of the chain that binds them together, and how often keys are read. An event
 * refers to nothing, because it stays when what it is about is deleted.
 */
export const audit: Migration = {
  name: "009-audit",
  async up(db, engine) {
    const bytes = engine === "sqlite" ? sql`blob` : sql`bytea`

    await withId(db.schema.createTable("audit_event"), engine)
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("action", "text", (column) => column.notNull())
      .addColumn("actor", "text", (column) => column.notNull())
      .addColumn("actor_id", "bigint")
      .addColumn("actor_name", "text", (column) => column.notNull())
      .addColumn("account_id", "bigint")
      .addColumn("account_name", "text", (column) => column.notNull())
      .addColumn("address", "text", (column) => column.notNull())
      .addColumn("client", "text", (column) => column.notNull())
      .addColumn("collection_id", "bigint")
      .addColumn("collection_name", "text", (column) => column.notNull())
      .addColumn("environment_id", "bigint")
      .addColumn("environment_name", "text", (column) => column.notNull())
      .addColumn("api_key_id", "bigint")
      .addColumn("api_key_name", "text", (column) => column.notNull())
      .addColumn("details", "text", (column) => column.notNull())
      .addColumn("position", "bigint")
      .addColumn("mac", "text")
      .execute()
    const index = (name: string, columns: string[], where: string) =>
      db.schema.createIndex(name).on("audit_event").columns(columns).where(sql.ref(where), "is not", null)
    await index("audit_event_collection", ["collection_id", "id"], "collection_id").execute()
    await index("audit_event_account", ["account_id", "id"], "account_id").execute()
    await index("audit_event_position", ["position"], "position").unique().execute()
    await db.schema.createIndex("audit_event_created_at").on("audit_event").column("created_at").execute()
    await db.schema
      .createIndex("audit_event_unchained")
      .on("audit_event")
      .column("id")
      .where(sql.ref("position"), "is", null)
      .execute()

    await db.schema
      .createTable("audit_chain")
      .addColumn("id", "integer", (column) => column.primaryKey())
      .addColumn("sealed_key", bytes, (column) => column.notNull())
      .addColumn("position", "bigint", (column) => column.notNull())
      .addColumn("mac", "text", (column) => column.notNull())
      .addColumn("start_position", "bigint", (column) => column.notNull())
      .addColumn("start_mac", "text", (column) => column.notNull())
      .addColumn("signature", "text", (column) => column.notNull())
      .execute()

    await withId(db.schema.createTable("key_read"), engine)
      .addColumn("api_key_id", "bigint", (column) => column.notNull())
      .addColumn("api_key_name", "text", (column) => column.notNull())
      .addColumn("environment_id", "bigint", (column) => column.notNull())
      .addColumn("collection_id", "bigint", (column) => column.notNull())
      .addColumn("address", "text", (column) => column.notNull())
      .addColumn("hour_at", "bigint", (column) => column.notNull())
      .addColumn("last_at", "bigint", (column) => column.notNull())
      .addColumn("reads", "bigint", (column) => column.notNull())
      .addColumn("client", "text", (column) => column.notNull())
      .execute()
    await db.schema
      .createIndex("key_read_sum")
      .unique()
      .on("key_read")
      .columns(["api_key_id", "address", "hour_at"])
      .execute()
    await db.schema.createIndex("key_read_collection").on("key_read").columns(["collection_id", "id"]).execute()
    await db.schema.createIndex("key_read_hour").on("key_read").column("hour_at").execute()
  },
}

function withId<Table extends string>(table: CreateTableBuilder<Table>, engine: Engine) {
  return engine === "sqlite"
    ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedByDefaultAsIdentity())
}
