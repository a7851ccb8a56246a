import { existsSync } from "node:fs"
import { constants, setPriority } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline/promises"
import type { Logger } from "pino"
import { type CommandResult, success } from "./cli/command-result.ts"
import { commands } from "./cli/commands.ts"
import { commandHelp, isHelpOption, overview } from "./cli/help.ts"
import { runCommand } from "./cli/run-command.ts"
import { type Config, ConfigError, readConfig } from "./config.ts"
import { createLog, describeError } from "./http/log.ts"
import type { Vitals } from "./metrics/process-metrics.ts"
import { startPrimary } from "./start/primary.ts"
import type { RunningServer } from "./start/running-server.ts"
import { serve } from "./start/serve.ts"
import { shutdownOnce } from "./start/shutdown.ts"
import { textLog } from "./start/text-log.ts"
import { isFirstWorker, isWorker, onOrphaned } from "./start/workers.ts"
import { exitCodes, StartError } from "./start-error.ts"
import { unknownSettings } from "./unknown-settings.ts"

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
  if (name === undefined) return start(readConfig(process.env))
  if (isHelpOption(name)) return print(success(overview()))
  const command = commands.find((one) => one.name === name)
  if (command === undefined) throw new StartError(exitCodes.misuse, `There is no command ${name}. --help lists them`)
  if (args.some(isHelpOption)) return print(success(commandHelp(command)))
  const config = readConfig(process.env)
  // A server may be running beside it, and people wait for that one.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  // npm changes to the project's folder first, and keeps in INIT_CWD where the user is.
  const workingDir = process.env["INIT_CWD"] ?? process.cwd()
  const ask = process.stdin.isTTY ? askUser : undefined
  print(await runCommand(command, args, { config, workingDir, warn: printWarning, ask }))
}

async function start(config: Config): Promise<void> {
  const logStream = isForPeople(config) ? textLog(process.stdout, config) : undefined
  const log = createLog(config.logLevel, logStream)
  if (!isWorker) for (const warning of unknownSettings(process.env)) log.warn(warning)
  if (config.workers > 1 && !isWorker) {
    const primary = await startPrimary(config, { vitals, log })
    stopOnSignals(primary, config, log)
    return primary.started
  }
  const greets = logStream !== undefined && log.isLevelEnabled("info") && (!isWorker || isFirstWorker)
  const greet = greets ? (text: string) => void process.stdout.write(text) : undefined
  const beforeListening = (server: RunningServer) => stopOnSignals(server, config, isWorker ? undefined : log)
  await serve(config, { webDir: findWebDir(), vitals, logStream, greet, beforeListening })
}

function isForPeople({ logFormat }: Config): boolean {
  return logFormat === undefined ? process.stdout.isTTY : logFormat === "text"
}

function stopOnSignals(server: RunningServer, { drainSeconds }: Config, log: Logger | undefined): void {
  const shutdown = shutdownOnce(server, { drainSeconds, exit: (code) => process.exit(code), fail, log })
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
  // A bug. Its stack is for those who look for it.
  const { type, message, stack } = describeError(error instanceof Error ? error : new Error(String(error)))
  printWarning(`unexpected error: ${type}: ${message}`)
  if (["debug", "trace"].includes(process.env["LOG_LEVEL"] ?? "")) process.stderr.write(`${stack}\n`)
  else printWarning("hint: LOG_LEVEL=debug shows where it happened")
  process.exit(exitCodes.failure)
}
