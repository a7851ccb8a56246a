import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { recordLines, registerSecret } from "@envkeep/testing/leaks.ts"
import { onTestFinished } from "vitest"

export const cli = join(import.meta.dirname, "../dist/cli.cjs")

export interface Run {
  env?: Record<string, string | undefined>
  cwd?: string
  /** All of standard input, which then ends. Without it, standard input stays open. */
  input?: string | Buffer
}

/** The published command. */
export function envkeep(args: string[], { node = process.execPath, input = "", ...run }: Run & { node?: string } = {}) {
  return start([node, cli, ...args], { input, ...run })
}

/** The logins of the person who runs the tests are not theirs, and no test opens a browser. */
const noLogins = { XDG_CONFIG_HOME: "/nonexistent", BROWSER: "none" }

/** Starts a program with only these variables and a PATH in its environment. */
export function start([program = "", ...args]: string[], { env = {}, cwd, input }: Run = {}) {
  registerSecret("an API key", env["ENVKEEP_KEY"] ?? "")
  registerSecret("a personal token", env["ENVKEEP_TOKEN"] ?? "")
  const child = spawn(program, args, {
    env: { PATH: process.env["PATH"], ...noLogins, ...env },
    stdio: ["pipe", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  // A program may end before it has read its input.
  child.stdin.on("error", () => undefined)
  if (input !== undefined) child.stdin.end(input)
  child.stderr.on("data", recordLines("standard error of a command"))
  const output = { out: "", err: "" }
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    output.out += piece
  })
  child.stderr.setEncoding("utf8").on("data", (piece) => {
    output.err += piece
  })
  const ended = once(child, "close").then(([code, signal]) => ({ code: code ?? signal, ...output }))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { child, ended, line: async () => String((await lines.next()).value) }
}

/** Starts a program in a terminal of its own. What is written to its standard input counts as typed. */
export function inTerminal(words: string[], run: Run) {
  const line = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ")
  const onMac = process.platform === "darwin"
  return start(onMac ? ["script", "-q", "/dev/null", ...words] : ["script", "-qec", `exec ${line}`, "/dev/null"], run)
}
