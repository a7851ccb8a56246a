import { setTimeout as wait } from "node:timers/promises"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { type Line, openLine } from "../load/line.ts"
import { type Product, startProduct } from "../product.ts"
import { megabytes, type Section } from "../report.ts"
import { residentBytes } from "../rss.ts"
import { bulkRequest, readRequest, type Stock, stock, variableList } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { median } from "../turns.ts"

/** V8 returns what a start leaves behind by itself, but not in the first seconds. */
const idleMs = 60_000

export const memory: Group = {
  name: "memory",
  async run(bench) {
    const section: Section = {
      title: "Memory",
      how: "Resident set of the process. Idle: a minute after the start, with one read answered. Loaded: right after a turn of reads over 64 connections and a bulk save of 10,000 items.",
      columns: ["", "idle", "loaded"],
      rows: [],
      held: [],
    }
    for (const engine of engines) {
      // Each with a store of its own. They wait together, since none of them does anything.
      const started: Started[] = []
      while (started.length < bench.options.turns) started.push(await startAndRead(bench, engine))
      await wait(idleMs)
      const idle = median(started.map(({ product }) => residentBytes(product.pid)))

      const loadedBytes: number[] = []
      for (const one of started) loadedBytes.push(await bytesAfterLoad(bench, one))
      const loaded = median(loadedBytes)
      section.rows.push([engineNames[engine], megabytes(idle), megabytes(loaded)])
      section.held.push(hold("idleMemory", engineNames[engine], idle / 1e6))
    }
    return [section]
  },
}

interface Started {
  product: Product
  stocked: Stock
  line: Line
}

/** On a store that is there already. */
async function startAndRead(bench: Bench, engine: (typeof engines)[number]): Promise<Started> {
  const location = await newStoreLocation(bench, engine)
  const maker = await startProduct(bench, location)
  const stocked = await stock(maker, 50)
  await maker.stop()

  const product = await startProduct(bench, location)
  const line = await openLine(product.port)
  await line.ask(readRequest(stocked.key), 200)
  return { product, stocked, line }
}

/** Stops the product afterwards. */
async function bytesAfterLoad(bench: Bench, { product, stocked, line }: Started): Promise<number> {
  await bench.load({ port: product.port, request: readRequest(stocked.key), status: 200, connections: 64 })
  await line.ask(bulkRequest(stocked.cookie, stocked.environment.id, variableList(10_000)), 200)
  const bytes = residentBytes(product.pid)
  line.close()
  await product.stop()
  return bytes
}
