import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:os"
import { isatty } from "node:tty"
import type { RunCommand } from "./arguments.ts"
import type { Env } from "./index.ts"
import { describeError, printMessage } from "./messages.ts"

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

/** Runs the command until it ends by itself. Resolves to its exit code, as a shell would report it. */
export async function runCommand(first: Env, command: RunCommand): Promise<number> {
  try {
    return await runAndRestart(first, command)
  } catch (error) {
    if (!(error instanceof TooLarge)) throw error
    printMessage(`cannot run ${command.program}: ${error.message}`, tooLargeHint)
    return 126
  }
}

async function runAndRestart(first: Env, command: RunCommand): Promise<number> {
  let env = first
  let child = start(command, env)
  let isChanged = false
  let isEnding = false
  const stopWatching = command.watch
    ? first.watch(restart, (error) => printMessage(describeError(error)))
    : () => undefined
  passSignals((signal) => {
    isEnding ||= endingSignals.some((name) => name === signal)
    child.kill(signal)
  })
  try {
    for (;;) {
      const code = await exitCode(child, command.program)
      if (!isChanged || isEnding) return code
      isChanged = false
      child = start(command, env)
    }
  } finally {
    stopWatching()
  }

  /** Several changes while the command is ending cause one restart, with the last of them. */
  function restart(next: Env): void {
    env = next
    if (isChanged) return
    isChanged = true
    const ending = child
    ending.kill("SIGTERM")
    const timer = setTimeout(() => ending.kill("SIGKILL"), killAfterMs)
    ending.once("exit", () => clearTimeout(timer))
  }
}

function start({ program, args, override }: RunCommand, env: Env): ChildProcess {
  const variables = override ? { ...process.env, ...env.json() } : { ...env.json(), ...process.env }
  try {
    return spawn(program, args, { stdio: "inherit", env: variables })
  } catch (error) {
    // Other failures are events of the child.
    throw (error as NodeJS.ErrnoException).code === "E2BIG" ? new TooLarge(whatIsTooLarge(variables)) : error
  }
}

function whatIsTooLarge(variables: Record<string, string | undefined>): string {
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

function passSignals(pass: (signal: NodeJS.Signals) => void): void {
  const isTerminal = [0, 1, 2].some((fd) => isatty(fd))
  for (const signal of [...endingSignals, ...otherSignals]) {
    if (!(signal in constants.signals)) continue
    process.on(signal, () => {
      if (!isTerminal || !fromTerminal.has(signal)) pass(signal)
    })
  }
}

function exitCode(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => resolve(code ?? 128 + constants.signals[signal ?? "SIGKILL"]))
    child.once("error", ({ code = "" }: NodeJS.ErrnoException) => {
      printMessage(`cannot run ${program}: ${reasons[code] ?? code}`)
      resolve(code === "ENOENT" ? 127 : 126)
    })
  })
}

const reasons: Record<string, string> = {
  ENOENT: "command not found",
  EACCES: "permission denied",
}
