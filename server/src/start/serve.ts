import type { AddressInfo } from "node:net"
import { setTimeout as wait } from "node:timers/promises"
import type { FastifyInstance } from "fastify"
import { buildApp } from "../app.ts"
import { ensureChain } from "../audit/begin.ts"
import { recordEvent } from "../audit/record.ts"
import { backupBeforehand } from "../backup/beforehand.ts"
import { cannotListen } from "../cannot-listen.ts"
import type { Config } from "../config.ts"
import { type Core, createDoor } from "../core/core.ts"
import type { Db } from "../db/schema.ts"
import { listAdmins } from "../features/admin/rules.ts"
import { createAdminUnlessTaken } from "../features/users/administration.ts"
import { createLog, type LogStream } from "../http/log.ts"
import { checkRootKey, openVault, rootKeyIsExposed } from "../keys/root-key.ts"
import { createMailQueue } from "../mail/create-queue.ts"
import { withNotices } from "../mail/notices.ts"
import type { MetricsPage } from "../metrics/page.ts"
import type { Vitals } from "../metrics/process-metrics.ts"
import type { ServerMetrics } from "../metrics/server-metrics.ts"
import { exitCodes, StartError } from "../start-error.ts"
import { addressesOf, keepLastAddress } from "./address.ts"
import { bringUpToDate } from "./bring-up-to-date.ts"
import { greeting } from "./greeting.ts"
import { openStore } from "./open-store.ts"
import type { RunningServer } from "./running-server.ts"
import { toStartError } from "./to-start-error.ts"

const firstMigration = "001-initial"

interface ServeParts {
  /** The folder of the built screens; without one, only the API is served. */
  webDir: string | undefined
  vitals: Vitals
  /** Where the log goes; standard output unless said otherwise. */
  logStream: LogStream | undefined
  /** Tells a person how to go on, once requests are accepted. */
  greet: ((text: string) => void) | undefined
  /** Gets the server before it accepts requests: whoever sees that it is ready may stop it at once. */
  beforeListening(server: RunningServer): void
}

/** Configuration -> database -> app -> listen. What prevents it becomes one sentence and an exit code. */
export async function serve(
  config: Config,
  { webDir, vitals, logStream, greet, beforeListening }: ServeParts,
): Promise<void> {
  const metrics = await loadMetrics(config, vitals)
  const store = await openStore(config, { log: metrics?.logQuery })
  const { db } = store
  try {
    await checkRootKey(db, config)
    // Only a long migration, and the backup before it, say something before there is an app with a log.
    const say = (progress: string) => createLog(config.logLevel, logStream).info(progress)
    // Said where the log is short too: it is the way back.
    const sayBackup = (line: string) => createLog(config.logLevel, logStream).warn(line)
    const warnings: string[] = []
    const warn = (line: string) => void warnings.push(line)
    const applied = await bringUpToDate(db, config, { beforehand: backupBeforehand(config, sayBackup), say })
    const vault = await openVault(db, config, warn)
    const mail = config.mail && createMailQueue(config.mail, vault)
    const record = mail && withNotices(recordEvent, mail)
    const core: Core = { ...createDoor(store, { ...config, record }), vault, mail }
    await refuseUnwritable(db)
    await ensureChain(db, applied, () => vault)
    let isStopping = false
    const app = await buildApp({ store, core, config, webDir, metrics, logStream, isStopping: () => isStopping })
    for (const line of warnings) app.log.warn(line)
    // Of a new store, the names of all migrations would say nothing.
    if (applied.includes(firstMigration)) app.log.info("made the tables of a new store")
    else if (applied.length > 0) app.log.info({ applied }, "the store is up to date")
    if (await rootKeyIsExposed(config.dataDir)) app.log.warn("root.key can be read by others: run chmod 600 on it")
    await makeAdmin(app, core, config)
    let page: MetricsPage | undefined
    beforeListening({
      async stop({ drain }) {
        isStopping = true
        // Clients that have not noticed yet are still served; each answer closes its connection.
        if (drain) await wait(config.drainSeconds * 1000)
        await app.close()
        await db.destroy()
        await page?.stop()
      },
    })
    await listen(app, config)
    page = await metrics?.publish().catch(async (error: unknown) => {
      await app.close()
      throw error
    })
    const { port } = app.server.address() as AddressInfo
    const [address] = addressesOf(config, port)
    const before = await keepLastAddress(config.dataDir, address)
    greet?.(greeting({ config, port, before, hasAdmin: (await listAdmins(core)).length > 0 }))
  } catch (error) {
    await db.destroy().catch(() => undefined)
    throw await toStartError(error, config)
  }
}

/** Loaded only where it is wanted: the library for it takes memory, and time at the start. */
async function loadMetrics(
  { metrics: address, dataDir }: Pick<Config, "metrics" | "dataDir">,
  vitals: Vitals,
): Promise<ServerMetrics | undefined> {
  if (address === undefined) return undefined
  const { createServerMetrics } = await import("../metrics/server-metrics.ts")
  return createServerMetrics({ address, dataDir }, vitals)
}

/** Changes nothing, but fails where nothing can be changed: better at the start than at the first write. */
async function refuseUnwritable(db: Db): Promise<void> {
  await db.updateTable("canary").set({ id: 0 }).where("id", "=", 0).execute()
}

async function makeAdmin(app: FastifyInstance, core: Core, { admin }: Config): Promise<void> {
  if (admin === undefined) return
  const outcome = await createAdminUnlessTaken(core, admin)
  if (outcome === "common password") {
    await app.close()
    const reason = "is too easy to guess: choose one that is not common, and not the e-mail"
    throw new StartError(exitCodes.configuration, `ENVKEEP_ADMIN_PASSWORD ${reason}`)
  }
  if (outcome === "created") app.log.info("created the administrator's account")
  if (outcome === "taken") {
    app.log.warn(
      "ENVKEEP_ADMIN_EMAIL names an account that is not an administrator: `npm run admin -- grant` makes it one",
    )
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
