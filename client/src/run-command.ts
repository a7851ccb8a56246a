import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:os"
import { isatty } from "node:tty"
import type { Env, EnvkeepError } from "./index.ts"
import { describeError, printMessage } from "./messages.ts"
import { toSpawn } from "./windows-command.ts"

const endingSignals = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const
const otherSignals = ["SIGUSR1", "SIGUSR2", "SIGCONT", "SIGWINCH"] as const

/** A terminal sends these to the command itself. If they were also passed on, Ctrl-C would count twice. */
const fromTerminal = new Set<string>(["SIGINT", "SIGQUIT", "SIGWINCH"])

/** On a change, a command that does not end on SIGTERM within this time is killed. */
const killAfterMs = 10_000

/** The most that Linux passes to a program in one variable, whatever it passes in all. */
const maxVariableBytes = 128 * 1024

const tooLargeHint = "load them in the program with envkeep/apply, or write them to a file with envkeep save"

class TooLarge extends Error {}

export interface RunCommand {
  watch: boolean
  override: boolean
  program: string
  args: string[]
}

/**
 * Runs the command until it ends. Resolves to its exit code, as a shell would report it. With `--watch`, a command that
 * fails starts again with the next change, which may be what it needs.
 */
export async function runCommand(first: Env, command: RunCommand): Promise<number> {
  let env = first
  let child: ChildProcess | undefined
  let isChanged = false
  /** The command was told to end, so it does not start again. */
  let isEnding = false
  let canChange = command.watch
  let stopWaiting = () => {}
  const stopWatching = command.watch ? first.watch(restart, endWatch) : () => undefined
  passSignals({ pass: (signal) => child && sendSignal(child, signal), onEnding: end })
  try {
    for (;;) {
      isChanged = false
      const { code, isHopeless } = await runOnce()
      const isFailure = code !== 0 && !isHopeless
      if (isFailure && canChange && !isChanged && !isEnding) await waitForChange(code)
      if (!isChanged || isEnding) return code
    }
  } finally {
    stopWatching()
  }

  async function runOnce(): Promise<Ending> {
    try {
      child = start(command, env)
      return await ending(child, command.program)
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
      printMessage(`cannot run ${command.program}: ${error.message}`, tooLargeHint)
      return { code: 126, isHopeless: false }
    } finally {
      child = undefined
    }
  }

  async function waitForChange(code: number): Promise<void> {
    printMessage(`the command failed with exit code ${code}: waiting for the variables to change`)
    await new Promise<void>((resolve) => {
      stopWaiting = resolve
    })
  }

  /** Several changes while the command is ending cause one restart, with the last of them. */
  function restart(next: Env): void {
    env = next
    if (isChanged || isEnding) return
    isChanged = true
    printMessage("the variables have changed: restarting the command")
    stopWaiting()
    const previous = child
    if (previous === undefined) return
    sendSignal(previous, "SIGTERM")
    const timer = setTimeout(() => sendSignal(previous, "SIGKILL"), killAfterMs)
    previous.once("exit", () => clearTimeout(timer))
  }

  /** The key stopped working. A command that is running goes on with what it has. */
  function endWatch(error: EnvkeepError): void {
    canChange = false
    printMessage(describeError(error))
    stopWaiting()
  }

  function end(): void {
    isEnding = true
    stopWaiting()
  }
}

function start({ program, args, override }: RunCommand, env: Env): ChildProcess {
  const variables = override ? mergeVariables(process.env, env.json()) : mergeVariables(env.json(), process.env)
  const { file, words, isVerbatim } = toSpawn(program, args)
  try {
    return spawn(file, words, { stdio: "inherit", env: variables, windowsVerbatimArguments: isVerbatim })
  } catch (error) {
    // Other failures are events of the child.
    throw (error as NodeJS.ErrnoException).code === "E2BIG" ? new TooLarge(whatIsTooLarge(variables)) : error
  }
}

type Variables = Record<string, string | undefined>

/** Those of the second win. To Windows, `Path` and `PATH` are one variable, and Node would choose between them. */
export function mergeVariables(weaker: Variables, stronger: Variables, platform: string = process.platform): Variables {
  if (platform !== "win32") return { ...weaker, ...stronger }
  const taken = new Set(Object.keys(stronger).map((name) => name.toUpperCase()))
  const others = Object.entries(weaker).filter(([name]) => !taken.has(name.toUpperCase()))
  return { ...Object.fromEntries(others), ...stronger }
}

/**
 * Windows has no signals: to send one ends a program by force. If that is `cmd.exe` with a batch file, what it has started
 * would go on running, so there the command is ended with everything below it.
 */
export function sendSignal(child: ChildProcess, signal: NodeJS.Signals, platform: string = process.platform): void {
  if (platform !== "win32") child.kill(signal)
  else if (isEndingSignal(signal)) {
    const words = ["/T", "/F", "/PID", String(child.pid)]
    spawn("taskkill", words, { stdio: "ignore" }).once("error", () => child.kill())
  }
}

function whatIsTooLarge(variables: Variables): string {
  const sizes = Object.entries(variables).map(([name, value = ""]) => ({
    name,
    bytes: Buffer.byteLength(name) + Buffer.byteLength(value) + "=\0".length,
  }))
  const inKib = (bytes: number) => `${Math.ceil(bytes / 1024)} KiB`
  const large = sizes.find(({ bytes }) => bytes > maxVariableBytes)
  if (large !== undefined) {
    return `the variable ${JSON.stringify(large.name)} takes ${inKib(large.bytes)}, and Linux allows ${inKib(maxVariableBytes)}`
  }
  const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
  return `its arguments and variables are too large for this system: the variables take ${inKib(total)}`
}

interface SignalListener {
  pass: (signal: NodeJS.Signals) => void
  onEnding: () => void
}

function passSignals({ pass, onEnding }: SignalListener): void {
  const isTerminal = [0, 1, 2].some((fd) => isatty(fd))
  for (const signal of [...endingSignals, ...otherSignals]) {
    if (!(signal in constants.signals)) continue
    process.on(signal, () => {
      if (isEndingSignal(signal)) onEnding()
      if (!isTerminal || !fromTerminal.has(signal)) pass(signal)
    })
  }
}

function isEndingSignal(signal: NodeJS.Signals): boolean {
  return signal === "SIGKILL" || endingSignals.some((name) => name === signal)
}

interface Ending {
  code: number
  /** It could not even start, whatever the variables are. */
  isHopeless: boolean
}

function ending(child: ChildProcess, program: string): Promise<Ending> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      resolve({ code: code ?? 128 + constants.signals[signal ?? "SIGKILL"], isHopeless: false })
    })
    child.once("error", ({ code = "" }: NodeJS.ErrnoException) => {
      printMessage(`cannot run ${program}: ${reasons[code] ?? code}`)
      resolve({ code: code === "ENOENT" ? 127 : 126, isHopeless: true })
    })
  })
}

const reasons: Record<string, string> = {
  ENOENT: "command not found",
  EACCES: "permission denied",
}
