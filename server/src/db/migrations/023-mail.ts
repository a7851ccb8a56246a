import { type CreateTableBuilder, sql } from "kysely"
import type { Migration } from "../migrate.ts"
import type { Engine } from "../schema.ts"

/** The queue of mails. */
export const mail: Migration = {
  name: "023-mail",
  async up(db, engine) {
    await withId(db.schema.createTable("mail"), engine)
      .addColumn("message_id", "text", (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("user_id", "bigint", (column) => column.references("user.id").onDelete("cascade"))
      .addColumn("sealed", engine === "sqlite" ? sql`blob` : sql`bytea`)
      .addColumn("notices", "integer", (column) => column.notNull().defaultTo(1))
      .addColumn("created_at", "bigint", (column) => column.notNull())
      .addColumn("due_at", "bigint", (column) => column.notNull())
      .addColumn("expires_at", "bigint", (column) => column.notNull())
      .addColumn("tries", "integer", (column) => column.notNull().defaultTo(0))
      .addColumn("claim", "text")
      .addColumn("fault", "text")
      .addColumn("failed_at", "bigint")
      .addColumn("gave_up_at", "bigint")
      .execute()
    await db.schema.createIndex("mail_user").on("mail").column("user_id").execute()
    // Only what waits: the next one must be found quickly, however many were given up.
    await db.schema
      .createIndex("mail_due")
      .on("mail")
      .column("due_at")
      .where(sql.ref("gave_up_at"), "is", null)
      .execute()
    await db.schema.createIndex("mail_gave_up").on("mail").column("gave_up_at").execute()
  },
}

function withId<Table extends string>(table: CreateTableBuilder<Table>, engine: Engine) {
  return engine === "sqlite"
    ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
    : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedByDefaultAsIdentity())
}
