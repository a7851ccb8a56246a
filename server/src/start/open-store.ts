import { existsSync } from "node:fs"
import { join } from "node:path"
import { sql } from "kysely"
import type { Config } from "../config.ts"
import { type DatabaseLog, type OpenDatabase, openDatabase, sqliteFile } from "../db/open.ts"
import type { Db } from "../db/schema.ts"
import { exitCodes, StartError } from "../start-error.ts"
import { cannotReachDatabase, toStartError } from "./to-start-error.ts"

type StoreConfig = Pick<Config, "databaseUrl" | "listenUrl" | "dataDir">

interface OpenOptions {
  log?: DatabaseLog | undefined
  /** Neither creates an embedded store nor changes it in any way. */
  readOnly?: boolean
  /** For work on whole tables: no statement is ended because it takes long. */
  isUnhurried?: boolean
}

/** Opens the store of the settings, an embedded one only if it exists. */
export async function openExistingStore(config: StoreConfig, options: OpenOptions = {}): Promise<OpenDatabase> {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, sqliteFile))) {
    throw new StartError(exitCodes.failure, `There is no store in ${config.dataDir} yet. Start Envkeep once first`)
  }
  return openStore(config, options)
}

/** Opens the database and makes sure that it answers, and that it can hold all text. */
export async function openStore(
  config: StoreConfig,
  { log, readOnly = false, isUnhurried = false }: OpenOptions = {},
): Promise<OpenDatabase> {
  const { databaseUrl: url, listenUrl, dataDir } = config
  if (url === undefined) {
    try {
      return await openDatabase({ dataDir, readOnly }, log)
    } catch (error) {
      throw await toStartError(error, config)
    }
  }
  const store = await openDatabase({ url, listenUrl, dataDir, ...(isUnhurried ? { queryTimeoutMs: 0 } : {}) }, log)
  const encoding = await encodingOf(store.db).catch(async (error: Error) => {
    await store.db.destroy()
    throw cannotReachDatabase(url, error)
  })
  if (encoding === "UTF8") return store
  await store.db.destroy()
  throw new StartError(exitCodes.configuration, `The database must have the encoding UTF8; this one has ${encoding}`)
}

async function encodingOf(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db)
  return rows[0]?.server_encoding
}
