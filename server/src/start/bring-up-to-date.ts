import type { Config } from "../config.ts"
import { engineOf } from "../db/engine.ts"
import { type MigrateOptions, migrate } from "../db/migrator.ts"
import type { Db } from "../db/schema.ts"
import { openStore } from "./open-store.ts"

/**
 * Applies the migrations that the store lacks, and returns their names. On PostgreSQL this has connections of its own: an
 * index of a large table, or the wait for a node that makes one, takes longer than a statement of a request may.
 */
export async function bringUpToDate(
  db: Db,
  config: Pick<Config, "databaseUrl" | "listenUrl" | "dataDir">,
  options: MigrateOptions,
): Promise<string[]> {
  if (engineOf(db) === "sqlite") return migrate(db, options)
  const unhurried = await openStore(config, { isUnhurried: true })
  try {
    return await migrate(unhurried.db, options)
  } finally {
    await unhurried.db.destroy()
  }
}
