import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { testApp } from "@envkeep/testing/app.ts"
import { recordLines, registerSecret } from "@envkeep/testing/leaks.ts"
import { installSystemPackages } from "@envkeep/testing/machine/packages.ts"
import { onTestFinished } from "vitest"

const folder = join(import.meta.dirname, "..")

export const pathOf = (path: string) => join(folder, path)
export const read = (path: string) => readFile(pathOf(path), "utf8")

export const has = (program: string) => spawnSync(program, ["--version"]).error === undefined

/** The scripts need curl. It is installed from the system's packages if needed and possible. */
export const hasCurl = has("curl") || (installSystemPackages(["curl"]) && has("curl"))

/** Names with values that break what is not exact: line breaks, quotes, delimiters, code. */
export const hostile = {
  PLAIN: "plain-value-1",
  PEM: "-----BEGIN KEY-----\nabc+/=\n-----END KEY-----\n",
  QUOTES: `it's "quoted" \`and\` \\escaped\\`,
  DELIMITER: "before\nEOF\n<<EOF\nENVKEEP\nafter",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a value that a shell would expand.
  CODE: "$(touch /tmp/x) ${HOME} %0A ::set-env name=a::b",
  UNICODE: "é 😀 \t tab",
  BLANKS: "  two spaces around  ",
  EMPTY: "",
}

/** A real listening server with an environment that has these variables, and a key for it. */
export async function world(variables: Record<string, string> = hostile) {
  const app = await testApp()
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  const ann = await app.user()
  const environment = await ann.environment("production")
  const { key, id: keyId } = await ann.apiKey(environment, "ci")
  const save = (next: Record<string, string>) =>
    ann.post(
      `/subcollection/${environment.id}/bulk`,
      Object.entries(next).map(([name, value]) => ({ name, value })),
    )
  await save(variables)
  return { ...app, url, ann, environment, key, keyId, save }
}

export async function temporaryFolder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), "envkeep-integrations-"))
  onTestFinished(() => rm(made, { recursive: true, force: true }))
  return made
}

/** Runs a program with these variables and a PATH only. What it writes to standard error must not have a secret. */
export async function run(
  [program = "", ...args]: string[],
  { env = {}, cwd }: { env?: Record<string, string>; cwd?: string } = {},
): Promise<{ code: number | string; out: string; err: string }> {
  registerSecret("an API key", env["ENVKEEP_KEY"] ?? "")
  const child = spawn(program, args, {
    env: { PATH: process.env["PATH"], ...env },
    // With a socket as standard input, bash assumes a remote shell and reads the user's startup file.
    stdio: ["ignore", "pipe", "pipe"],
    ...(cwd === undefined ? {} : { cwd }),
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  child.stderr.on("data", recordLines(`standard error of ${program}`))
  const output = { out: "", err: "" }
  child.stdout.setEncoding("utf8").on("data", (piece) => {
    output.out += piece
  })
  child.stderr.setEncoding("utf8").on("data", (piece) => {
    output.err += piece
  })
  const [code, signal] = await once(child, "close")
  return { code: code ?? signal, ...output }
}
