import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { backupBeforehand } from "./backup/beforehand.ts"
import { adminCommand, type CommandResult } from "./cli/admin.ts"
import { backupCommand } from "./cli/backup.ts"
import { doctorCommand } from "./cli/doctor.ts"
import { restoreCommand } from "./cli/restore.ts"
import { rotateCommand } from "./cli/rotate-root-key.ts"
import { type Config, ConfigError, readConfig } from "./config.ts"
import { createDoor } from "./db/core.ts"
import { migrate } from "./db/migrate.ts"
import { type OpenDatabase, sqliteFile } from "./db/open.ts"
import { checkRootKey } from "./keys/root-key.ts"
import { metricsOverWorkers } from "./metrics/over-workers.ts"
import { openMetricsPage } from "./metrics/page.ts"
import { processMetrics, type Vitals } from "./metrics/process.ts"
import { giveBackMemory } from "./start/release-memory.ts"
import { openStore, type RunningServer, serve, startError } from "./start/serve.ts"
import { exitCodes, StartError } from "./start/start-error.ts"
import { isWorker, onOrphaned, startWorkers } from "./start/workers.ts"

const stopPatienceMs = 30_000

const vitals: Vitals = {
  nodeVersion: process.version,
  startedAt: performance.timeOrigin / 1000,
  residentBytes: () => process.memoryUsage.rss(),
  cpuSeconds() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  },
}

await main(process.argv.slice(2))

async function main([command, ...args]: string[]): Promise<void> {
  try {
    requireNode(24)
    // The query builder alone fills ten lines of a stack; the line of ours that asked is below them.
    Error.stackTraceLimit = 40
    // Whatever is made in the data folder is for this user's eyes alone.
    process.umask(0o077)
    const config = readConfig(process.env)
    if (command === undefined) await run(config)
    else if (command === "admin") await onStore(config, (store) => admin(store, config, args))
    else if (command === "backup") await onStore(config, (store) => backupCommand(store, whole(args)))
    else if (command === "restore") await restore(config, whole(args))
    else if (command === "doctor") print(await doctorCommand(config, args))
    else if (command === "rotate-root-key") await onStore(config, (store) => rotate(store, config, whole(args)))
    else throw new StartError(exitCodes.misuse, `There is no command ${command}`)
  } catch (error) {
    fail(error)
  }
}

async function run(config: Config): Promise<void> {
  if (config.workers > 1 && !isWorker) {
    // Before the workers, so that a port which is taken is found before anything is served.
    const page = config.metrics && (await openMetricsPage(config.metrics, metricsOverWorkers(processMetrics(vitals))))
    const server = startWorkers(config.workers)
    const stop = stopper(
      {
        async stop(how) {
          await server.stop(how)
          await page?.stop()
        },
      },
      config,
    )
    for (const signal of ["SIGTERM", "SIGINT"]) process.on(signal, stop)
    return server.started
  }
  const server = await serve(config, { webDir: webDir(), vitals })
  giveBackMemory(process.nextTick)
  const stop = stopper(server, config)
  process.on("SIGTERM", stop)
  // A terminal sends it to all processes at once; the workers wait for the first one's word.
  process.on("SIGINT", isWorker ? () => undefined : stop)
  if (isWorker) onOrphaned(() => void stop("orphaned"))
}

/** Runs a command on the store of the settings, which must be there. */
async function onStore(config: Config, command: (store: OpenDatabase) => Promise<CommandResult>): Promise<void> {
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, sqliteFile))) {
    throw new StartError(exitCodes.failure, `There is no store in ${config.dataDir} yet. Start Envkeep once first`)
  }
  const store = await openStore(config)
  try {
    print(await command(store))
  } catch (error) {
    throw startError(error, config)
  } finally {
    await store.db.destroy()
  }
}

async function admin(store: OpenDatabase, config: Config, args: string[]): Promise<CommandResult> {
  await bringUpToDate(store, config)
  return adminCommand(createDoor(store.db), args)
}

async function rotate(store: OpenDatabase, config: Config, args: string[]): Promise<CommandResult> {
  await checkRootKey(store.db, config)
  await bringUpToDate(store, config)
  return rotateCommand(store.db, config, args)
}

async function bringUpToDate({ db }: OpenDatabase, config: Config): Promise<void> {
  await migrate(db, {
    beforehand: backupBeforehand(config, (line) => process.stderr.write(`envkeep: ${line}\n`)),
  })
}

async function restore(config: Config, args: string[]): Promise<void> {
  try {
    print(await restoreCommand({ config, openDb: async () => (await openStore(config)).db }, args))
  } catch (error) {
    throw startError(error, config)
  }
}

/** Files are named from where the person stands; npm goes to the project's folder first, and says where it came from. */
function whole(args: string[]): string[] {
  const here = process.env["INIT_CWD"] ?? process.cwd()
  return args.map((arg) => (arg.startsWith("-") ? arg : resolve(here, arg)))
}

function print({ exitCode, out, err }: CommandResult): void {
  for (const line of out) process.stdout.write(`${line}\n`)
  for (const line of err) process.stderr.write(`envkeep: ${line}\n`)
  process.exitCode = exitCode
}

/**
 * The first signal finishes what is in flight; the second, or too long a wait, ends it there and then. SIGTERM comes from
 * whatever runs the server, perhaps with a balancer in front; Ctrl-C from somebody who waits for the prompt.
 */
function stopper(server: RunningServer, { drainSeconds }: Config): (signal: string) => Promise<void> {
  let stopping = false
  return async (signal) => {
    if (stopping) process.exit(exitCodes.failure)
    stopping = true
    const drained = signal === "SIGTERM"
    const drainMs = drained ? drainSeconds * 1000 : 0
    setTimeout(() => process.exit(exitCodes.failure), drainMs + stopPatienceMs).unref()
    try {
      await server.stop({ drained })
      process.exit(0)
    } catch (error) {
      fail(error)
    }
  }
}

function requireNode(major: number): void {
  if (Number.parseInt(process.versions.node, 10) >= major) return
  throw new StartError(
    exitCodes.failure,
    `Envkeep needs Node ${major} or newer and this is ${process.version}. \`npm start\` brings its own`,
  )
}

/** The built screens lie beside the built server; from source there may be none, and then only the API is served. */
function webDir(): string | undefined {
  const folder = join(import.meta.dirname, "../../web/dist")
  return existsSync(join(folder, "index.html")) ? folder : undefined
}

function fail(error: unknown): never {
  if (error instanceof ConfigError) {
    process.stderr.write(
      `envkeep: the settings are not valid:\n${error.faults.map((fault) => `  ${fault}\n`).join("")}`,
    )
    process.exit(exitCodes.configuration)
  }
  if (error instanceof StartError) {
    if (error.message !== "") process.stderr.write(`envkeep: ${error.message}\n`)
    process.exit(error.exitCode)
  }
  throw error
}
