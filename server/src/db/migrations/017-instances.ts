import type { Migration } from "../migrate.ts"

/** Which programs run with an environment, and which revision each of them holds. */
export const instances: Migration = {
  name: "017-instances",
  async up(db, engine) {
    const table = db.schema.createTable("instance")
    const withId =
      engine === "sqlite"
        ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
        : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedByDefaultAsIdentity())
    await withId
      .addColumn("api_key_id", "bigint", (column) => column.notNull().references("api_key.id").onDelete("cascade"))
      .addColumn("environment_id", "bigint", (column) =>
        column.notNull().references("environment.id").onDelete("cascade"),
      )
      .addColumn("label", "text", (column) => column.notNull())
      .addColumn("process", "text", (column) => column.notNull())
      .addColumn("client", "text", (column) => column.notNull())
      .addColumn("address", "text", (column) => column.notNull())
      .addColumn("revision", "bigint", (column) => column.notNull())
      .addColumn("since_at", "bigint", (column) => column.notNull())
      .addColumn("first_seen_at", "bigint", (column) => column.notNull())
      .addColumn("seen_at", "bigint", (column) => column.notNull())
      .addColumn("is_watching", "integer", (column) => column.notNull())
      .addColumn("is_once", "integer", (column) => column.notNull())
      .addColumn("gone_at", "bigint", (column) => column.notNull())
      .addUniqueConstraint("instance_process", ["api_key_id", "label", "process"])
      .execute()
    await db.schema.createIndex("instance_environment").on("instance").columns(["environment_id", "gone_at"]).execute()
    await db.schema.createIndex("instance_gone").on("instance").column("gone_at").execute()
  },
}
