import { setTimeout as wait } from "node:timers/promises"
import type { FastifyInstance } from "fastify"
import { sql } from "kysely"
import { buildApp } from "../app.ts"
import { backupBeforehand } from "../backup/beforehand.ts"
import type { Config } from "../config.ts"
import { type Core, createDoor } from "../db/core.ts"
import { isDamagedFile, isUnreachable, isUnwritable } from "../db/faults.ts"
import { migrate, NewerStoreError } from "../db/migrate.ts"
import { type DatabaseLog, type OpenDatabase, openDatabase } from "../db/open.ts"
import type { Db } from "../db/schema.ts"
import { createAdminUnlessTaken } from "../features/users/rules.ts"
import { checkRootKey, openVault, rootKeyIsExposed } from "../keys/root-key.ts"
import { createMetrics } from "../metrics/metrics.ts"
import type { Vitals } from "../metrics/process.ts"
import { publishMetrics } from "../metrics/publish.ts"
import { cannotListen } from "./cannot-listen.ts"
import { exitCodes, StartError } from "./start-error.ts"

export interface RunningServer {
  /** Finishes the requests in flight, then lets go of the port and the database; drained, first lets balancers notice. */
  stop(how: { drained: boolean }): Promise<void>
}

/** Configuration -> database -> app -> listen. Whatever stands in the way becomes one sentence and an exit code. */
export async function serve(
  config: Config,
  { webDir, vitals }: { webDir: string | undefined; vitals: Vitals },
): Promise<RunningServer> {
  const metrics = config.metrics && createMetrics(vitals)
  const store = await openStore(config, { log: metrics?.logQuery })
  const { db } = store
  try {
    await checkRootKey(db, config)
    const told: string[] = []
    const tell = (line: string) => void told.push(line)
    const applied = await migrate(db, { beforehand: backupBeforehand(config, tell) })
    const core: Core = { ...createDoor(db), vault: await openVault(db, config, tell) }
    await refuseUnwritable(db)
    let stopping = false
    const app = await buildApp({ store, core, config, webDir, metrics, isStopping: () => stopping })
    for (const line of told) app.log.warn(line)
    if (applied.length > 0) app.log.info({ applied }, "the store is up to date")
    if (await rootKeyIsExposed(config.dataDir)) app.log.warn("root.key can be read by others: run chmod 600 on it")
    await makeAdmin(app, core, config)
    await listen(app, config)
    const page = await publishMetrics(config, metrics).catch(async (error: unknown) => {
      await app.close()
      throw error
    })
    return {
      async stop({ drained }) {
        stopping = true
        // Whoever has not noticed yet is still served, and told by each answer not to come back on that connection.
        if (drained) await wait(config.drainSeconds * 1000)
        await app.close()
        await db.destroy()
        await page?.stop()
      },
    }
  } catch (error) {
    await db.destroy().catch(() => undefined)
    throw startError(error, config)
  }
}

/** Opens the database and makes sure that it answers, and that it can hold all text. */
export async function openStore(
  config: Pick<Config, "databaseUrl" | "listenUrl" | "dataDir">,
  { log, readOnly = false }: { log?: DatabaseLog | undefined; readOnly?: boolean } = {},
): Promise<OpenDatabase> {
  const { databaseUrl: url, listenUrl, dataDir } = config
  if (url === undefined) {
    try {
      return await openDatabase({ dataDir, readOnly }, log)
    } catch (error) {
      throw startError(error, config)
    }
  }
  const store = await openDatabase({ url, listenUrl, dataDir }, log)
  const encoding = await encodingOf(store.db).catch(async (error: Error) => {
    await store.db.destroy()
    throw cannotReach(url, error)
  })
  if (encoding === "UTF8") return store
  await store.db.destroy()
  throw new StartError(exitCodes.configuration, `The database must have the encoding UTF8; this one has ${encoding}`)
}

async function encodingOf(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ server_encoding: string }>`show server_encoding`.execute(db)
  return rows[0]?.server_encoding
}

/** Changes nothing, but fails where nothing can be changed: better said at the start than at the first write. */
async function refuseUnwritable(db: Db): Promise<void> {
  await db.updateTable("canary").set({ id: 0 }).where("id", "=", 0).execute()
}

async function makeAdmin(app: FastifyInstance, core: Core, { admin }: Config): Promise<void> {
  if (admin === undefined) return
  const outcome = await createAdminUnlessTaken(core, admin)
  if (outcome === "created") app.log.info("created the administrator's account")
  if (outcome === "taken") {
    app.log.warn("ENVKEEP_ADMIN_EMAIL names an account that is no administrator: `npm run admin -- grant` makes it one")
  }
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (error) {
    await app.close()
    throw cannotListen(error, { host, port, hostSetting: "HOST", portSetting: "PORT" })
  }
}

export function startError(error: unknown, config: Pick<Config, "databaseUrl" | "dataDir">): unknown {
  if (error instanceof StartError) return error
  if (error instanceof NewerStoreError) {
    return new StartError(exitCodes.configuration, `${error.message}. Start that version, or restore a backup`)
  }
  const { code, message, syscall } = error as NodeJS.ErrnoException
  if (isDamagedFile(error)) {
    return new StartError(exitCodes.damaged, `The store in ${config.dataDir} cannot be opened: ${message}`)
  }
  if (isUnwritable(error) || isFileFault(syscall)) {
    const reason = isUnwritable(error) ? message : code
    return new StartError(exitCodes.cannotWrite, `The data folder ${config.dataDir} cannot be written: ${reason}`)
  }
  if (config.databaseUrl !== undefined && isOfDatabase(error)) return cannotReach(config.databaseUrl, error as Error)
  return error
}

/** In the database's own words, which at this point can hold no values; of the address, all but user and password. */
function cannotReach(url: string, error: Error & { code?: string }): StartError {
  const { hostname, port, pathname } = new URL(url)
  const reason = error.message || error.code || "no reason given"
  return new StartError(
    exitCodes.unavailable,
    `The database at ${hostname}${port && `:${port}`}${pathname} cannot be used: ${reason}`,
  )
}

function isOfDatabase(error: unknown): boolean {
  return isUnreachable(error) || (error as { severity?: string }).severity !== undefined
}

function isFileFault(syscall: string | undefined): boolean {
  return ["mkdir", "open", "link", "fsync", "write", "unlink"].includes(syscall ?? "")
}
