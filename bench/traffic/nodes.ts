import { randomBytes } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { openAddress } from "@envkeep/testing/machine/address.ts"
import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { ownPostgres } from "@envkeep/testing/machine/postgres.ts"
import { startStandby } from "@envkeep/testing/machine/standby.ts"
import type { Cleanup } from "../bench.ts"
import { openFiles, residentBytes } from "../machine.ts"
import { type Product, startProduct } from "../product.ts"
import { freshFolder } from "../store.ts"

export type Database = Awaited<ReturnType<typeof startDatabase>>

/** A primary and a standby that has everything that the primary confirms, both on disk. */
export async function startDatabase(cleanup: Cleanup) {
  const primary = await ownPostgres({ durable: true })
  cleanup.defer(primary.stop)
  const standby = await startStandby(primary, { durable: true })
  cleanup.defer(standby.stop)
  const url = await primary.newDatabase("day")
  const address = await openAddress(url)
  cleanup.defer(address.close)
  return {
    /** The one address that leads to the primary. */
    url: address.urlOf(url),
    /** Another, empty database, until the primary dies. */
    newDatabase: primary.newDatabase,
    /** The primary dies, the standby is promoted, and the address leads to it. */
    async failOver() {
      // Its other processes may live for a moment: a fail-over cuts them off before the standby takes over.
      await primary.kill("SIGKILL")
      address.leadTo(undefined)
      await standby.promote()
      address.leadTo(standby.url)
    },
  }
}

/** What the nodes of scaling.md are set to: behind one proxy, with the usual time to drain. */
const settings = { ENVKEEP_TRUST_PROXY: "1", ENVKEEP_DRAIN_SECONDS: "2", ENVKEEP_WEBHOOK_ALLOW: "127.0.0.1" }

interface Node {
  port: number
  dataDir: string
  /** Undefined until it has been started. */
  product?: Product
  /** The resident bytes since it was last started, at even intervals. */
  rss: number[]
}

export type Nodes = Awaited<ReturnType<typeof startNodes>>

/** Nodes of the product on one database. */
export async function startNodes(cleanup: Cleanup, databaseUrl: string, count: number) {
  const all: Node[] = []
  let rootKey = randomBytes(32).toString("hex")
  while (all.length < count) all.push({ port: await freePort(), dataDir: await freshFolder(cleanup), rss: [] })
  const { dataDir } = all[0] as Node
  for (const node of all) await start(node)
  return {
    ports: all.map(({ port }) => port),
    memory: () => all.map(({ rss }) => rss),
    files: () => all.map(({ product }) => openFiles(product?.pid ?? 0)),
    /** Where the first node keeps its files, and the root key that all have now: commands run there. */
    store: () => ({ databaseUrl, dataDir, rootKey }),
    /** Notes how much memory each node has. */
    sampleMemory() {
      for (const { product, rss } of all) rss.push(residentBytes(product?.pid ?? 0))
    },
    /** As scaling.md says: SIGTERM, wait until it has ended, start it, wait for `/readyz`; then the next. */
    async restartAll() {
      for (const node of all) {
        const code = await node.product?.stop()
        if (code !== 0) throw new Error(`the node on port ${node.port} ended with exit code ${code} after SIGTERM`)
        await start(node)
      }
    },
    /** The key that `rotate-root-key` made. */
    async takeNextKey() {
      rootKey = (await readFile(join(dataDir, "root.key.next"), "utf8")).trim()
    },
    untilReady: () => Promise.all(all.map(untilReady)),
    stop: () => Promise.all(all.map(({ product }) => product?.stop())),
  }

  async function start(node: Node): Promise<void> {
    const env = { ...settings, PORT: String(node.port), ENVKEEP_ROOT_KEY: rootKey }
    node.product = await startProduct(cleanup, { dataDir: node.dataDir, databaseUrl }, { env })
    node.rss = []
    await untilReady(node)
  }
}

/** As a balancer does that checks health: it asks twice a second. */
async function untilReady({ port }: Node): Promise<void> {
  for (const timeout = AbortSignal.timeout(60_000); ; await wait(500, undefined, { signal: timeout })) {
    const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined)
    await answer?.text()
    if (answer?.ok) return
  }
}
