import { sql } from "kysely"
import type { Migration } from "../migrate.ts"

/** An environment can have a base, whose items it has too. Each revision says what it inherited. */
export const inheritance: Migration = {
  name: "013-inheritance",
  async up(db) {
    await db.schema
      .alterTable("environment")
      .addColumn("base_id", "bigint", (column) => column.references("environment.id").onDelete("set null"))
      .execute()
    // For each change of an environment: what inherits from it.
    await db.schema
      .createIndex("environment_base")
      .on("environment")
      .column("base_id")
      .where(sql.ref("base_id"), "is not", null)
      .execute()
    await db.schema.alterTable("revision").addColumn("base_id", "bigint").execute()
    await db.schema.alterTable("revision").addColumn("base_revision", "bigint").execute()
  },
}
