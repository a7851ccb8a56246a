import type { Migration } from "../migrate.ts"

/**
 * Long names of items count in `sealed_bytes` from now on. An environment says whether it has counted them: to count all of
 * them here would keep every writer waiting, so each is counted when its items change next.
 */
export const longNames: Migration = {
  name: "027-long-names",
  async up(db) {
    await db.schema
      .alterTable("environment")
      .addColumn("counts_names", "integer", (column) => column.notNull().defaultTo(0))
      .execute()
  },
}
