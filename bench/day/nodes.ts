import { setTimeout as wait } from "node:timers/promises"
import { freePort } from "@envkeep/testing/machine/free-port.ts"
import type { Cleanup } from "../cleanup.ts"
import { type Product, startProduct } from "../product.ts"
import { residentBytes } from "../rss.ts"
import { openFiles } from "../soak/sample.ts"
import { freshFolder } from "../store-location.ts"

export interface Nodes {
  urls: string[]
  /** Where the first node keeps its files; commands run there. */
  dataDir: string
  /** Stops one node after the other with SIGTERM and starts it again; with another root key, if there is one. */
  restartAll(rootKey?: string): Promise<void>
  untilReady(): Promise<void>
  /** Notes how much memory each node has. */
  sampleMemory(): void
  /** The resident bytes of each node since it was last started, at even intervals. */
  memory(): number[][]
  files(): number[]
  stop(): Promise<void>
  /** What the nodes logged as a warning or worse, and how often. */
  logged: Map<string, number>
}

interface NodesOptions {
  databaseUrl: string
  rootKey: string
  /** How many there are. */
  count: number
}

/** What the nodes of scaling.md are set to: behind one proxy, with the usual time to drain. */
const settings = { ENVKEEP_TRUST_PROXY: "1", ENVKEEP_DRAIN_SECONDS: "2", ENVKEEP_WEBHOOK_ALLOW: "127.0.0.1" }

export async function startNodes(cleanup: Cleanup, { databaseUrl, rootKey, count }: NodesOptions): Promise<Nodes> {
  const ports: number[] = []
  const dataDirs: string[] = []
  for (let node = 0; node < count; node++) {
    ports.push(await freePort())
    dataDirs.push(await freshFolder({ cleanup }))
  }
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const logged = new Map<string, number>()
  let key = rootKey
  const products: Product[] = []
  const rss: number[][] = []
  for (let node = 0; node < count; node++) await start(node)
  return {
    urls,
    dataDir: dataDirs[0] as string,
    async restartAll(rootKey = key) {
      key = rootKey
      for (let node = 0; node < count; node++) {
        const code = await products[node]?.stop()
        if (code !== 0) throw new Error(`node ${node} ended with exit code ${code} after SIGTERM`)
        await start(node)
      }
    },
    untilReady: async () => void (await Promise.all(urls.map(untilReady))),
    sampleMemory() {
      for (const [node, { pid }] of products.entries()) rss[node]?.push(residentBytes(pid))
    },
    memory: () => rss,
    files: () => products.map(({ pid }) => openFiles(pid)),
    stop: async () => void (await Promise.all(products.map(({ stop }) => stop()))),
    logged,
  }

  async function start(node: number): Promise<void> {
    const location = { engine: "postgres", dataDir: dataDirs[node] as string, databaseUrl } as const
    const env = { ...settings, PORT: String(ports[node]), ENVKEEP_ROOT_KEY: key }
    products[node] = await startProduct({ cleanup }, location, { env, onLine: (line) => noteLine(logged, line) })
    rss[node] = []
    await untilReady(urls[node] as string)
  }
}

/** As a balancer does that checks health: it asks twice a second. */
async function untilReady(url: string): Promise<void> {
  for (const timeout = AbortSignal.timeout(60_000); ; await wait(500, undefined, { signal: timeout })) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined)
    await answer?.text()
    if (answer?.ok) return
  }
}

/** Levels from 40 on are warnings and errors. */
function noteLine(logged: Map<string, number>, line: string): void {
  if (!/^\{"level":[456]0/.test(line)) return
  const { level, msg, err } = JSON.parse(line)
  const text = `${level} ${msg}${err === undefined ? "" : `: ${err.message}`}`
  logged.set(text, (logged.get(text) ?? 0) + 1)
}
