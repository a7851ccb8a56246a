import { sql } from "kysely"
import type { Migration } from "../migrate.ts"

/** Finds the mails that a person waits for behind any number of invitations, and all known browsers of an account. */
export const awaitedMailAndKnownBrowsers: Migration = {
  name: "030-awaited-mail-and-known-browsers",
  async up(db) {
    await db.schema
      .createIndex("mail_awaited")
      .on("mail")
      .column("due_at")
      .where(sql.ref("gave_up_at"), "is", null)
      .where(sql.ref("kind"), "<>", "invitation")
      .execute()
    // Only what was given up: SQLite read this index for what waits, and every look for what is due went through all of it.
    await db.schema.dropIndex("mail_gave_up").execute()
    await db.schema
      .createIndex("mail_gave_up")
      .on("mail")
      .column("gave_up_at")
      .where(sql.ref("gave_up_at"), "is not", null)
      .execute()
    // Those that were remembered before have none: it cannot be told whose they are. They expire.
    await db.schema.alterTable("attempt").addColumn("account", "text").execute()
    await db.schema
      .createIndex("attempt_account")
      .on("attempt")
      .columns(["account", "resets_at"])
      .where(sql.ref("account"), "is not", null)
      .execute()
  },
}
