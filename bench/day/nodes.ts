import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { openAddress } from "@envkeep/testing/machine/address.ts"
import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { ownPostgres } from "@envkeep/testing/machine/postgres.ts"
import { startStandby } from "@envkeep/testing/machine/standby.ts"
import type { Cleanup } from "../cleanup.ts"
import { openFiles, residentBytes } from "../process-figures.ts"
import { type Product, startProduct } from "../product.ts"
import { freshFolder } from "../store.ts"

export interface Database {
  /** The one address that leads to the primary. */
  url: string
  /** Another, empty database on the primary. */
  newDatabase(name: string): Promise<string>
  /** The primary dies, the standby is promoted, and the address leads to it. */
  failOver(): Promise<void>
}

/** A primary and a standby that has everything that the primary confirms, both on disk. */
export async function startDatabase({ later }: Cleanup): Promise<Database> {
  const primary = await ownPostgres({ durable: true })
  later(primary.stop)
  const standby = await startStandby(primary, { durable: true })
  later(standby.stop)
  const url = await primary.newDatabase("day")
  const address = await openAddress(url)
  later(address.close)
  let current = primary
  return {
    url: address.urlOf(url),
    newDatabase: (name) => current.newDatabase(name),
    async failOver() {
      // Its other processes may live for a moment: a fail-over cuts them off before the standby takes over.
      await primary.kill("SIGKILL")
      address.leadTo(undefined)
      await standby.promote()
      address.leadTo(standby.url)
      current = standby
    },
  }
}

/** What the nodes of scaling.md are set to: behind one proxy, with the usual time to drain. */
const settings = { ENVKEEP_TRUST_PROXY: "1", ENVKEEP_DRAIN_SECONDS: "2", ENVKEEP_WEBHOOK_ALLOW: "127.0.0.1" }

interface Node {
  port: number
  dataDir: string
  /** Undefined until it has been started. */
  product: Product | undefined
  /** The resident bytes since it was last started, at even intervals. */
  rss: number[]
}

/** The nodes of the product on one database, and the root key that they have now. */
export class Nodes {
  #cleanup: Cleanup
  #all: Node[] = []
  databaseUrl: string
  rootKey = randomBytes(32).toString("hex")
  /** What the nodes logged as a warning or worse, and how often. */
  logged = new Map<string, number>()

  private constructor(cleanup: Cleanup, databaseUrl: string) {
    this.#cleanup = cleanup
    this.databaseUrl = databaseUrl
  }

  static async start(cleanup: Cleanup, databaseUrl: string, count: number): Promise<Nodes> {
    const nodes = new Nodes(cleanup, databaseUrl)
    for (let node = 0; node < count; node++) {
      const one: Node = { port: await freePort(), dataDir: await freshFolder({ cleanup }), product: undefined, rss: [] }
      nodes.#all.push(one)
      await nodes.#start(one)
    }
    return nodes
  }

  get ports(): number[] {
    return this.#all.map(({ port }) => port)
  }

  get memory(): number[][] {
    return this.#all.map(({ rss }) => rss)
  }

  get files(): number[] {
    return this.#all.map(({ product }) => openFiles(product?.pid ?? 0))
  }

  /** Where the first node keeps its files; commands run there. */
  get dataDir(): string {
    return this.#all[0]?.dataDir ?? ""
  }

  /** Notes how much memory each node has. */
  sampleMemory(): void {
    for (const { product, rss } of this.#all) rss.push(residentBytes(product?.pid ?? 0))
  }

  /** As scaling.md says: SIGTERM, wait until it has ended, start it, wait for `/readyz`; then the next. */
  async restartAll(): Promise<void> {
    for (const node of this.#all) {
      const code = await node.product?.stop()
      if (code !== 0) throw new Error(`the node on port ${node.port} ended with exit code ${code} after SIGTERM`)
      await this.#start(node)
    }
  }

  /** The key that `rotate-root-key` made. */
  async takeNextKey(): Promise<void> {
    this.rootKey = (await readFile(join(this.dataDir, "root.key.next"), "utf8")).trim()
  }

  async untilReady(): Promise<void> {
    await Promise.all(this.ports.map(untilReady))
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map(({ product }) => product?.stop()))
  }

  async #start(node: Node): Promise<void> {
    const location = { engine: "postgres", dataDir: node.dataDir, databaseUrl: this.databaseUrl } as const
    const env = { ...settings, PORT: String(node.port), ENVKEEP_ROOT_KEY: this.rootKey }
    const onLine = (line: string) => this.#noteLine(line)
    node.product = await startProduct({ cleanup: this.#cleanup }, location, { env, onLine })
    node.rss = []
    await untilReady(node.port)
  }

  /** Levels from 40 on are warnings and errors. */
  #noteLine(line: string): void {
    if (!/^\{"level":[456]0/.test(line)) return
    const { level, msg, err } = JSON.parse(line)
    const text = `${level} ${msg}${err === undefined ? "" : `: ${err.message}`}`
    this.logged.set(text, (this.logged.get(text) ?? 0) + 1)
  }
}

/** As a balancer does that checks health: it asks twice a second. */
async function untilReady(port: number): Promise<void> {
  for (const timeout = AbortSignal.timeout(60_000); ; await wait(500, undefined, { signal: timeout })) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    await answer?.text()
    if (answer?.ok) return
  }
}
