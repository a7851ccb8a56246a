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
  /** Everything on standard input, which then ends; without it, it stays open. */
  input?: string
}

/** The command as it is published. */
export function envkeep(args: string[], { node = process.execPath, input = "", ...run }: Run & { node?: string } = {}) {
  return start([node, cli, ...args], { input, ...run })
}

/** A program with nothing but these settings and a PATH in its environment. */
export function start([program = "", ...args]: string[], { env = {}, cwd, input }: Run = {}) {
  registerSecret("an API key", env["ENVKEEP_KEY"] ?? "")
  const child = spawn(program, args, {
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["pipe", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  if (input !== undefined) child.stdin.end(input)
  child.stderr.on("data", recordLines("standard error of a command"))
  const said = { out: "", err: "" }
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    said.out += piece
  })
  child.stderr.setEncoding("utf8").on("data", (piece) => {
    said.err += piece
  })
  const ended = once(child, "close").then(([code, signal]) => ({ code: code ?? signal, ...said }))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { child, ended, line: async () => String((await lines.next()).value) }
}

/** A terminal of its own: what is written to its standard input is typed. */
export function inTerminal(words: string[], run: Run) {
  const line = words.map((word) => `'${word.replaceAll("'", String.raw`'\''`)}'`).join(" ")
  const onMac = process.platform === "darwin"
  return start(onMac ? ["script", "-q", "/dev/null", ...words] : ["script", "-qec", `exec ${line}`, "/dev/null"], run)
}
