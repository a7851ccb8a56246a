import type { Migration } from "../migrate.ts"

/** What users say about the names of a collection's items. */
export const describedNames: Migration = {
  name: "014-described-names",
  async up(db, engine) {
    const table = db.schema.createTable("described_name")
    const withId =
      engine === "sqlite"
        ? table.addColumn("id", "integer", (column) => column.primaryKey().autoIncrement())
        : table.addColumn("id", "bigint", (column) => column.primaryKey().generatedByDefaultAsIdentity())
    await withId
      .addColumn("collection_id", "bigint", (column) =>
        column.notNull().references("collection.id").onDelete("cascade"),
      )
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("description", "text", (column) => column.notNull())
      .addColumn("is_required", "integer", (column) => column.notNull())
      .addColumn("is_secret", "integer", (column) => column.notNull())
      .addColumn("kind", "text", (column) => column.notNull())
      .addColumn("choices", "text", (column) => column.notNull())
      .addColumn("example", "text", (column) => column.notNull())
      .addUniqueConstraint("described_name_once", ["collection_id", "name"])
      .execute()

    for (const column of ["described_count", "described_bytes", "described_revision"]) {
      await db.schema
        .alterTable("collection")
        .addColumn(column, "bigint", (number) => number.notNull().defaultTo(0))
        .execute()
    }
  },
}
