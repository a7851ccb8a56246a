import { sql } from "kysely"
import type { Migration } from "../migrate.ts"

/** The metrics ask every few seconds when the store was last backed up, and there can be millions of events since. */
export const lastBackup: Migration = {
  name: "035-last-backup",
  async up(db) {
    await db.schema
      .createIndex("audit_event_backup")
      .on("audit_event")
      .column("id")
      .where(sql.ref("action"), "=", "store.backup")
      .execute()
  },
}
