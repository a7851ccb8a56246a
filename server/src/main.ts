import { existsSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline/promises"
import type { CommandResult } from "./cli/command-result.ts"
import { commands } from "./cli/commands.ts"
import { runCommand } from "./cli/run-command.ts"
import { type Config, ConfigError, readConfig } from "./config.ts"
import type { Vitals } from "./metrics/process-metrics.ts"
import { startPrimary } from "./start/primary.ts"
import { releaseMemoryWhenIdle } from "./start/release-memory.ts"
import type { RunningServer } from "./start/running-server.ts"
import { serve } from "./start/serve.ts"
import { shutdownOnce } from "./start/shutdown.ts"
import { exitCodes, StartError } from "./start/start-error.ts"
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
  if (name === undefined) return start(config)
  const command = commands.find((one) => one.name === name)
  if (command === undefined) throw new StartError(exitCodes.misuse, `There is no command ${name}`)
  // npm changes to the project's folder first, and keeps in INIT_CWD where the user is.
  const workingDir = process.env["INIT_CWD"] ?? process.cwd()
  const ask = process.stdin.isTTY ? askUser : undefined
  print(await runCommand(command, args, { config, workingDir, warn: printWarning, ask }))
}

async function start(config: Config): Promise<void> {
  if (config.workers > 1 && !isWorker) {
    const primary = await startPrimary(config, vitals)
    stopOnSignals(primary, config)
    return primary.started
  }
  const server = await serve(config, { webDir: findWebDir(), vitals })
  releaseMemoryWhenIdle({ nextTick: process.nextTick, residentBytes: process.memoryUsage.rss })
  stopOnSignals(server, config)
}

function stopOnSignals(server: RunningServer, { drainSeconds }: Config): void {
  const shutdown = shutdownOnce(server, { drainSeconds, exit: (code) => process.exit(code), fail })
  process.on("SIGTERM", () => void shutdown("SIGTERM"))
  // A terminal sends SIGINT to all processes at once; workers wait for the primary process to stop them.
  process.on("SIGINT", isWorker ? () => undefined : () => void shutdown("SIGINT"))
  if (isWorker) onOrphaned(() => void shutdown("orphaned"))
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

/** On standard error: standard output is for what was asked for. */
async function askUser(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await terminal.question(question)
  } finally {
    terminal.close()
  }
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
