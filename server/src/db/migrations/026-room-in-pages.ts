import { sql } from "kysely"
import type { Migration } from "../migrate.ts"

/** Tables whose rows change in place, again and again. */
const changing = ["item", "environment", "user"]

/**
 * PostgreSQL leaves room in each page of these tables. It adds a new version of a row to the page of the one before if it can.
 * Without room there, versions of small rows are put into gaps of many pages, and each has its own entries in the indexes.
 * While a backup needs the old versions, every change has to look at all of them.
 */
export const roomInPages: Migration = {
  name: "026-room-in-pages",
  async up(db, engine) {
    if (engine !== "postgres") return
    for (const table of changing) await sql`alter table ${sql.table(table)} set (fillfactor = 90)`.execute(db)
  },
}
