import { type CreateTableBuilder, sql } from "kysely"
import type { Migration } from "../migrate.ts"
import type { Engine } from "../schema.ts"

/** Webhooks of collections, and the queue of what they are told. */
export const webhooks: Migration = {
  name: "019-webhooks",
  async up(db, engine) {
    const bytes = engine === "sqlite" ? sql`blob` : sql`bytea`
    await withId(db.schema.createTable("webhook"), engine)
      .addColumn("collection_id", "bigint", (column) =>
        column.notNull().references("collection.id").onDelete("cascade"),
      )
      .addColumn("host", "text", (column) => column.notNull())
      .addColumn("sealed_url", bytes, (column) => column.notNull())
      .addColumn("sealed_secret", bytes, (column) => column.notNull())
      .addColumn("sealed_old_secret", bytes)
      .addColumn("old_secret_ends_at", "bigint")
      .addColumn("description", "text", (column) => column.notNull())
      .addColumn("kinds", "text")
      .addColumn("is_limited", "integer", (column) => column.notNull())
      .addColumn("is_enabled", "integer", (column) => column.notNull())
      .addColumn("gave_up_at", "bigint")
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("claim", "text")
      .addColumn("claim_ends_at", "bigint")
      .addColumn("failures", "integer", (column) => column.notNull().defaultTo(0))
      .addColumn("failing_since_at", "bigint")
      .addColumn("retry_at", "bigint")
      .addColumn("last_attempt_at", "bigint", (column) => column.notNull().defaultTo(0))
      .addColumn("last_delivered_at", "bigint")
      .execute()
    await db.schema.createIndex("webhook_collection").on("webhook").columns(["collection_id", "id"]).execute()

    await withId(db.schema.createTable("webhook_environment"), engine)
      .addColumn("webhook_id", "bigint", (column) => column.notNull().references("webhook.id").onDelete("cascade"))
      .addColumn("environment_id", "bigint", (column) =>
        column.notNull().references("environment.id").onDelete("cascade"),
      )
      .addUniqueConstraint("webhook_environment_pair", ["webhook_id", "environment_id"])
      .execute()
    await db.schema
      .createIndex("webhook_environment_environment")
      .on("webhook_environment")
      .column("environment_id")
      .execute()

    await withId(db.schema.createTable("webhook_delivery"), engine)
      .addColumn("webhook_id", "bigint", (column) => column.notNull().references("webhook.id").onDelete("cascade"))
      .addColumn("message_id", "text", (column) => column.notNull())
      .addColumn("audit_event_id", "bigint")
      .addColumn("revision", "bigint")
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("finished_at", "bigint")
      .addColumn("is_delivered", "integer", (column) => column.notNull().defaultTo(0))
      .addColumn("attempts", "text", (column) => column.notNull().defaultTo("[]"))
      .addColumn("fault", "text")
      .execute()
    await db.schema
      .createIndex("webhook_delivery_webhook")
      .on("webhook_delivery")
      .columns(["webhook_id", "id"])
      .execute()
    // Only what waits: a delivery must be found quickly, however many are done.
    await db.schema
      .createIndex("webhook_delivery_waiting")
      .on("webhook_delivery")
      .columns(["webhook_id", "id"])
      .where(sql.ref("finished_at"), "is", null)
      .execute()
    await db.schema.createIndex("webhook_delivery_finished").on("webhook_delivery").column("finished_at").execute()
  },
}

function withId<Table extends string>(table: CreateTableBuilder<Table>, engine: Engine) {
  return engine === "sqlite"
    ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedByDefaultAsIdentity())
}
