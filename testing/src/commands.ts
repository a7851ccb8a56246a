import { join } from "node:path"
import type { CommandResult } from "@envkeep/server/cli/admin.ts"
import { backupCommand } from "@envkeep/server/cli/backup.ts"
import { restoreCommand } from "@envkeep/server/cli/restore.ts"
import { rotateCommand } from "@envkeep/server/cli/rotate-root-key.ts"
import { readConfig } from "@envkeep/server/config.ts"
import { openDatabase } from "@envkeep/server/db/open.ts"
import type { LogEvent } from "kysely"
import { freshPlace, type Place } from "./database.ts"

// The commands as a person runs them beside the server: on connections of their own.

export type LogQuery = (event: LogEvent) => void | Promise<void>

export async function backUp(place: Place, file: string, logQuery?: LogQuery): Promise<CommandResult> {
  const store = await openDatabase({ url: place.databaseUrl, dataDir: place.dataDir }, logQuery)
  try {
    return await backupCommand(store, [file])
  } finally {
    await store.db.destroy()
  }
}

export function restore(place: Place, ...args: string[]): Promise<CommandResult> {
  const config = configOf(place)
  const openDb = async () => (await openDatabase({ url: place.databaseUrl, dataDir: place.dataDir })).db
  return restoreCommand({ config, openDb }, args)
}

export async function rotate(
  place: Place,
  { args = [], env = {}, logQuery }: { args?: string[]; env?: Record<string, string>; logQuery?: LogQuery } = {},
): Promise<CommandResult> {
  const { db } = await openDatabase({ url: place.databaseUrl, dataDir: place.dataDir }, logQuery)
  try {
    return await rotateCommand(db, configOf(place, env), args)
  } finally {
    await db.destroy()
  }
}

export function configOf({ dataDir, databaseUrl }: Place, env: Record<string, string> = {}) {
  return readConfig({ ENVKEEP_DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...env })
}

/** A name for a backup in a folder of its own. */
export async function backupFile(): Promise<string> {
  return join((await freshPlace()).dataDir, "envkeep.backup")
}
