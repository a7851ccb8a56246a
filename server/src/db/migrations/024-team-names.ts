import type { Migration } from "../migrate.ts"

/** Since when a team has its name. Null where that is since it was made, or was before this migration. */
export const teamNames: Migration = {
  name: "024-team-names",
  async up(db) {
    await db.schema.alterTable("team").addColumn("named_at", "bigint").execute()
  },
}
