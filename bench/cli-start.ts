import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { findNodes, type NodeBinary } from "../scripts/nodes.ts"

// What `envkeep run -- true` costs over a Node that does nothing, against a real server on loopback. The two take turns,
// so that a busy machine slows both alike. The median tells what is felt, the best what it costs in itself. Build first: `node client/build.ts`.

const rounds = 60
const root = join(import.meta.dirname, "..")
const cli = join(root, "client/dist/cli.cjs")
const dataDir = mkdtempSync(join(tmpdir(), "envkeep-bench-"))

const server = spawn(process.execPath, [join(root, "server/src/main.ts")], {
  env: { PATH: process.env["PATH"], PORT: "0", ENVKEEP_DATA_DIR: dataDir },
  stdio: ["ignore", "pipe", "inherit"],
})
try {
  const env = await settings(await listening())
  for (const node of findNodes()) process.stdout.write(measure(node, env))
} finally {
  server.kill()
  await once(server, "close")
  rmSync(dataDir, { recursive: true })
}

function measure({ path, version }: NodeBinary, env: Record<string, string>): string {
  const [bare, run]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round++) {
    bare.push(time(path, ["-e", "0"], env))
    run.push(time(path, [cli, "run", "--", "true"], env))
  }
  const costs = [median, best].map((of) => `${of.name} ${ms(of(run) - of(bare))} (${ms(of(bare))} and ${ms(of(run))})`)
  return `Node ${version}: envkeep run -- true costs over node -e 0: ${costs.join(", ")}; aim: under 60 ms\n`
}

function time(program: string, args: string[], env: Record<string, string>): number {
  const started = performance.now()
  const { status, stderr } = spawnSync(program, args, { env })
  if (status !== 0) throw new Error(String(stderr))
  return performance.now() - started
}

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}

function best(times: number[]): number {
  return Math.min(...times)
}

function ms(time: number): string {
  return `${time.toFixed(1)} ms`
}

async function listening(): Promise<string> {
  for await (const line of createInterface({ input: server.stdout })) {
    const address = /listening at (http:\/\/[^"]+)/.exec(line)?.[1]
    if (address !== undefined) return address
  }
  throw new Error("the server did not start")
}

/** An environment of 20 variables and a key for it, made as the screens would. */
async function settings(url: string): Promise<Record<string, string>> {
  let cookie = ""
  const login = { email: "bench@example.com", password: "correct horse battery staple" }
  await post("/users/register", { username: "bench", ...login, password2: login.password })
  await post("/users/login", login)
  const collection = await post("/collection", { name: "app", description: "" })
  const environment = await post("/subcollection", { name: "production", collectionId: collection["id"] })
  const { key } = await post("/api-key", { name: "bench", subCollectionId: environment["id"] })
  const items = Array.from({ length: 20 }, (_, at) => ({ name: `NAME_${at}`, value: "some value" }))
  await post(`/subcollection/${environment["id"]}/bulk`, items)
  return { PATH: process.env["PATH"] ?? "", ENVKEEP_URL: url, ENVKEEP_KEY: String(key) }

  async function post(path: string, body: unknown): Promise<Record<string, unknown>> {
    const headers = { cookie, "content-type": "application/json" }
    const response = await fetch(`${url}/api${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    if (!response.ok) throw new Error(await response.text())
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie
    return ((await response.json()) as { data: Record<string, unknown> }).data
  }
}
