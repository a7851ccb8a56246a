import { join } from "node:path"
import type { CommandResult } from "@envkeep/server/cli/admin.ts"
import { backupCommand } from "@envkeep/server/cli/backup.ts"
import { restoreCommand } from "@envkeep/server/cli/restore.ts"
import { rotateCommand } from "@envkeep/server/cli/rotate-root-key.ts"
import { readConfig } from "@envkeep/server/config.ts"
import { openDatabase } from "@envkeep/server/db/open.ts"
import type { LogEvent } from "kysely"
import { newStoreLocation, type StoreLocation } from "./database.ts"

// The commands as a person runs them beside the server: on connections of their own.

export type LogQuery = (event: LogEvent) => void | Promise<void>

export async function backUp(location: StoreLocation, file: string, logQuery?: LogQuery): Promise<CommandResult> {
  const store = await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir }, logQuery)
  try {
    return await backupCommand(store, [file])
  } finally {
    await store.db.destroy()
  }
}

export function restore(location: StoreLocation, ...args: string[]): Promise<CommandResult> {
  const config = configOf(location)
  const openDb = async () => (await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir })).db
  return restoreCommand({ config, openDb }, args)
}

export async function rotate(
  location: StoreLocation,
  { args = [], env = {}, logQuery }: { args?: string[]; env?: Record<string, string>; logQuery?: LogQuery } = {},
): Promise<CommandResult> {
  const { db } = await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir }, logQuery)
  try {
    return await rotateCommand(db, configOf(location, env), args)
  } finally {
    await db.destroy()
  }
}

export function configOf({ dataDir, databaseUrl }: StoreLocation, env: Record<string, string> = {}) {
  return readConfig({ ENVKEEP_DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...env })
}

/** A name for a backup in a folder of its own. */
export async function backupFile(): Promise<string> {
  return join((await newStoreLocation()).dataDir, "envkeep.backup")
}
