import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:os"
import { isatty } from "node:tty"
import type { RunCommand } from "./arguments.ts"
import type { Env } from "./index.ts"
import { complain, describe } from "./voice.ts"

const ending = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const
const others = ["SIGUSR1", "SIGUSR2", "SIGCONT", "SIGWINCH"] as const

/** A terminal sends these to the command by itself; passed on as well, Ctrl-C would count twice. */
const fromTerminal = new Set<string>(["SIGINT", "SIGQUIT", "SIGWINCH"])

/** On a change, a command that does not end on SIGTERM within this time is ended all the same. */
const patience = 10_000

/** Runs the command until it ends of itself, and resolves to its exit code as a shell would tell it. */
export async function runCommand(first: Env, command: RunCommand): Promise<number> {
  let env = first
  let child = start(command, env)
  let isChanged = false
  let isOver = false
  const stopWatching = command.watch ? first.watch(change, (error) => complain(describe(error))) : () => undefined
  passSignals((signal) => {
    isOver ||= ending.some((name) => name === signal)
    child.kill(signal)
  })
  for (;;) {
    const code = await exitCode(child, command.program)
    if (!isChanged || isOver) {
      stopWatching()
      return code
    }
    isChanged = false
    child = start(command, env)
  }

  /** Several changes while the command is ending make one new start, with the last of them. */
  function change(next: Env): void {
    env = next
    if (isChanged) return
    isChanged = true
    const ended = child
    ended.kill("SIGTERM")
    const timer = setTimeout(() => ended.kill("SIGKILL"), patience)
    ended.once("exit", () => clearTimeout(timer))
  }
}

function start({ program, args, override }: RunCommand, env: Env): ChildProcess {
  const variables = override ? { ...process.env, ...env.json() } : { ...env.json(), ...process.env }
  return spawn(program, args, { stdio: "inherit", env: variables })
}

function passSignals(pass: (signal: NodeJS.Signals) => void): void {
  const isTerminal = [0, 1, 2].some((fd) => isatty(fd))
  for (const signal of [...ending, ...others]) {
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
      complain(`cannot run ${program}: ${reasons[code] ?? code}`)
      resolve(code === "ENOENT" ? 127 : 126)
    })
  })
}

const reasons: Record<string, string> = {
  ENOENT: "there is no such command",
  EACCES: "permission denied",
  E2BIG: "its arguments and variables are more than the system allows",
}
