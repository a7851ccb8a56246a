import { sql } from "kysely"
import { initial } from "./migrations/001-initial.ts"
import type { Db, Engine } from "./schema.ts"

export interface Migration {
  name: string
  up(db: Db, engine: Engine): Promise<void>
}

/** In order, never edited once landed: `migrations/checksums.json` holds them to that. */
export const migrations: readonly Migration[] = [initial]

/** The store was written by a newer Envkeep than this one. */
export class NewerStoreError extends Error {
  override name = "NewerStoreError"
}

/**
 * Brings the tables up to date, all in one transaction, and says which migrations ran. Nodes that start at once take
 * turns: SQLite's transaction is the lock, PostgreSQL has one made for this.
 */
export function migrate(db: Db, engine: Engine, known = migrations): Promise<string[]> {
  return db.transaction().execute(async (tx) => {
    if (engine === "postgres") await sql`select pg_advisory_xact_lock(7276523)`.execute(tx)
    await tx.schema
      .createTable("migration")
      .ifNotExists()
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("applied_at", "bigint", (column) => column.notNull())
      .execute()

    const { rows } = await sql<{ name: string }>`select name from migration`.execute(tx)
    const applied = new Set(rows.map((row) => row.name))
    const unknown = [...applied].find((name) => !known.some((migration) => migration.name === name))
    if (unknown !== undefined) throw new NewerStoreError(`This store was written by a newer version (${unknown})`)

    const pending = known.filter((migration) => !applied.has(migration.name))
    for (const migration of pending) {
      await migration.up(tx, engine)
      await sql`insert into migration (name, applied_at) values (${migration.name}, ${Date.now()})`.execute(tx)
    }
    return pending.map((migration) => migration.name)
  })
}
