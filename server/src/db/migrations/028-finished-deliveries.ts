import { sql } from "kysely"
import type { Migration } from "../migrate.ts"

/**
 * Only what is finished, as the index of what waits has only that. SQLite read this one for what waits, and every look for
 * what is due went through all of it.
 */
export const finishedDeliveries: Migration = {
  name: "028-finished-deliveries",
  async up(db) {
    await db.schema.dropIndex("webhook_delivery_finished").execute()
    await db.schema
      .createIndex("webhook_delivery_finished")
      .on("webhook_delivery")
      .column("finished_at")
      .where(sql.ref("finished_at"), "is not", null)
      .execute()
  },
}
