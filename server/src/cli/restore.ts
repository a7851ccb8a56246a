import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { inWords } from "../backup/format.ts"
import { readBackup } from "../backup/read.ts"
import type { Restored } from "../backup/refusals.ts"
import { restorePostgres } from "../backup/restore-postgres.ts"
import { restoreSqlite } from "../backup/restore-sqlite.ts"
import type { Config } from "../config.ts"
import { migrations } from "../db/migrate.ts"
import type { Db } from "../db/schema.ts"
import { fittingRootKeys, keptKeyPrefix, readRootKey } from "../keys/root-key.ts"
import { type Evidence, isEmpty, maxEvidenceCollections, opensCanary } from "../keys/root-key-evidence.ts"
import type { Bridge } from "../keys/secrets.ts"
import { exitCodes, StartError } from "../start/start-error.ts"
import type { CommandResult } from "./admin.ts"

export const restoreUsage = "usage: npm run restore -- <file> [--force]"

interface Place {
  config: Pick<Config, "databaseUrl" | "dataDir" | "rootKey">
  /** Opens the database of the settings; not asked for with the embedded store. */
  openDb(): Promise<Db>
}

/** Puts a backup in the place of the settings' store. Everything that can be checked is checked before that is touched. */
export async function restoreCommand({ config, openDb }: Place, args: string[]): Promise<CommandResult> {
  const force = args.includes("--force")
  const [file, ...rest] = args.filter((arg) => arg !== "--force")
  if (file === undefined || file.startsWith("-") || rest.length > 0) {
    return { exitCode: exitCodes.misuse, out: [], err: [restoreUsage] }
  }
  const { head, rows, evidence } = await inspect(file)
  await checkKey(config, evidence)
  const out = [
    `Restored ${inWords(rows)} from ${file}, taken at ${head.takenAt}`,
    "Passwords and API keys are those of that moment; everybody has to log in again",
  ]
  const { leftOut, aside } = await putInPlace({ config, openDb }, file, force)
  if (aside !== undefined) out.push(`The store that was there before is kept as ${aside}`)
  const err = leftOut > 0 ? [`${leftOut} rows of the backup belonged to nothing, and were left out`] : []
  return { exitCode: 0, out, err }
}

async function putInPlace({ config, openDb }: Place, file: string, force: boolean): Promise<Restored> {
  if (config.databaseUrl === undefined) return restoreSqlite(config.dataDir, file, force)
  const db = await openDb()
  try {
    return await restorePostgres(db, file, force)
  } finally {
    await db.destroy()
  }
}

/** Reads the whole backup once, so that a damaged one is refused while nothing has been touched. */
async function inspect(file: string) {
  const evidence: Evidence = { canary: undefined, bridge: undefined, collections: [] }
  const { head, rows } = await readBackup(file, {
    onHead: ({ migrations: then }) => {
      const unknown = then.find((name) => !migrations.some((migration) => migration.name === name))
      if (unknown === undefined) return
      throw new StartError(
        exitCodes.configuration,
        `The backup ${file} was taken by a newer version (${unknown}). Restore it with that version`,
      )
    },
    onRow(table, row) {
      if (table === "canary") evidence.canary = row["sealed"] as Uint8Array
      if (table === "root_key_bridge") evidence.bridge = row as unknown as Bridge
      if (table === "collection" && evidence.collections.length < maxEvidenceCollections) {
        evidence.collections.push({ id: Number(row["id"]), wrapped: row["data_key"] as Uint8Array })
      }
    },
  })
  if (isEmpty(evidence)) throw new StartError(exitCodes.failure, `The backup ${file} is of a store that was never used`)
  return { head, rows, evidence }
}

async function checkKey(config: Place["config"], evidence: Evidence): Promise<void> {
  try {
    await fittingRootKeys(config, evidence, "backup")
  } catch (error) {
    const kept = await keptKeyThatOpens(config.dataDir, evidence)
    if (kept === undefined) throw error
    throw new StartError(
      exitCodes.configuration,
      `This backup is from before the root key was replaced, and ${kept} is its key: put that in ENVKEEP_ROOT_KEY, for the restored store too. Nothing was changed`,
    )
  }
}

async function keptKeyThatOpens(dataDir: string, evidence: Evidence): Promise<string | undefined> {
  const names = await readdir(dataDir).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(keptKeyPrefix))) {
    const key = await readRootKey(join(dataDir, name)).catch(() => undefined)
    if (key !== undefined && opensCanary([key], evidence)) return join(dataDir, name)
  }
  return undefined
}
