import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { backupBeforehand } from "./backup/beforehand.ts"
import { adminCommand, type CommandResult } from "./cli/admin.ts"
import { backupCommand } from "./cli/backup.ts"
import { doctorCommand } from "./cli/doctor.ts"
import { restoreCommand } from "./cli/restore.ts"
import { rotateCommand } from "./cli/rotate-root-key.ts"
import { type Config, ConfigError, readConfig } from "./config.ts"
import { migrate } from "./db/migrate.ts"
import { type OpenDatabase, sqliteFile } from "./db/open.ts"
import { checkRootKey } from "./keys/root-key.ts"
import type { Vitals } from "./metrics/process.ts"
import { openStore } from "./start/open-store.ts"
import { startPrimary } from "./start/primary.ts"
import { releaseMemoryWhenIdle } from "./start/release-memory.ts"
import type { RunningServer } from "./start/running-server.ts"
import { serve } from "./start/serve.ts"
import { shutdownOnce } from "./start/shutdown.ts"
import { exitCodes, StartError } from "./start/start-error.ts"
import { toStartError } from "./start/to-start-error.ts"
import { isWorker, onOrphaned } from "./start/workers.ts"

const vitals: Vitals = {
  nodeVersion: process.version,
  startedAt: performance.timeOrigin / 1000,
  residentBytes: () => process.memoryUsage.rss(),
  cpuSeconds() {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1e6
  },
}

try {
  await main(process.argv.slice(2))
} catch (error) {
  fail(error)
}

async function main([name, ...args]: string[]): Promise<void> {
  requireNode(24)
  // The query builder alone fills ten lines of a stack; our own line that called it is below them.
  Error.stackTraceLimit = 40
  // Only this user may read what is created in the data folder.
  process.umask(0o077)
  const config = readConfig(process.env)
  if (name === undefined) await start(config)
  else if (name === "admin") await onStore(config, (store) => admin(store, config, args))
  else if (name === "backup") await onStore(config, (store) => backupCommand(store, whole(args)))
  else if (name === "restore") await restore(config, whole(args))
  else if (name === "doctor") print(await doctorCommand(config, args))
  else if (name === "rotate-root-key") await onStore(config, (store) => rotate(store, config, whole(args)))
  else throw new StartError(exitCodes.misuse, `There is no command ${name}`)
}

async function start(config: Config): Promise<void> {
  if (config.workers > 1 && !isWorker) {
    const primary = await startPrimary(config, vitals)
    stopOnSignals(primary, config)
    return primary.started
  }
  const server = await serve(config, { webDir: findWebDir(), vitals })
  releaseMemoryWhenIdle(process.nextTick)
  stopOnSignals(server, config)
}

function stopOnSignals(server: RunningServer, { drainSeconds }: Config): void {
  const shutdown = shutdownOnce(server, { drainSeconds, exit: (code) => process.exit(code), fail })
  process.on("SIGTERM", () => void shutdown("SIGTERM"))
  // A terminal sends SIGINT to all processes at once; workers wait for the primary process to stop them.
  process.on("SIGINT", isWorker ? () => undefined : () => void shutdown("SIGINT"))
  if (isWorker) onOrphaned(() => void shutdown("orphaned"))
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
    throw toStartError(error, config)
  } finally {
    await store.db.destroy()
  }
}

async function admin(store: OpenDatabase, config: Config, args: string[]): Promise<CommandResult> {
  await bringUpToDate(store, config)
  return adminCommand(store.db, args)
}

async function rotate(store: OpenDatabase, config: Config, args: string[]): Promise<CommandResult> {
  await checkRootKey(store.db, config)
  await bringUpToDate(store, config)
  return rotateCommand(store.db, config, args)
}

async function bringUpToDate({ db, engine }: OpenDatabase, config: Config): Promise<void> {
  await migrate(db, engine, {
    beforehand: backupBeforehand(config, (line) => process.stderr.write(`envkeep: ${line}\n`)),
  })
}

async function restore(config: Config, args: string[]): Promise<void> {
  try {
    print(await restoreCommand({ config, openDb: async () => (await openStore(config)).db }, args))
  } catch (error) {
    throw toStartError(error, config)
  }
}

/** Files are named from where the person stands; npm goes to the project's folder first, and says where it came from. */
function whole(args: string[]): string[] {
  const here = process.env["INIT_CWD"] ?? process.cwd()
  return args.map((arg) => (arg.startsWith("-") ? arg : resolve(here, arg)))
}

/** The built screens lie beside the built server; from source there may be none, and then only the API is served. */
function findWebDir(): string | undefined {
  const folder = join(import.meta.dirname, "../../web/dist")
  return existsSync(join(folder, "index.html")) ? folder : undefined
}

function requireNode(major: number): void {
  if (Number.parseInt(process.versions.node, 10) >= major) return
  throw new StartError(
    exitCodes.failure,
    `Envkeep needs Node ${major} or newer and this is ${process.version}. \`npm start\` brings its own`,
  )
}

function print({ exitCode, out, err }: CommandResult): void {
  for (const line of out) process.stdout.write(`${line}\n`)
  for (const line of err) printWarning(line)
  process.exitCode = exitCode
}

function printWarning(line: string): void {
  process.stderr.write(`envkeep: ${line}\n`)
}

function fail(error: unknown): never {
  if (error instanceof ConfigError) {
    printWarning(`the settings are not valid:\n${error.faults.map((fault) => `  ${fault}`).join("\n")}`)
    process.exit(exitCodes.configuration)
  }
  if (error instanceof StartError) {
    if (error.message !== "") printWarning(error.message)
    process.exit(error.exitCode)
  }
  throw error
}
