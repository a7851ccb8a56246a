import { setTimeout as wait } from "node:timers/promises"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openLine } from "../load/line.ts"
import { startProduct } from "../product.ts"
import { megabytes, type Section } from "../report.ts"
import { residentBytes } from "../rss.ts"
import { bulkRequest, readRequest, stock, variableList } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median } from "../turns.ts"

interface Memory {
  idle: number
  loaded: number
}

export const memory: Group = {
  name: "memory",
  async run(bench) {
    const section: Section = {
      title: "Memory",
      how: "Resident set of the process. Idle: two seconds after the start, with one read answered. Loaded: right after a turn of reads over 64 connections and a bulk save of 10,000 items.",
      columns: ["", "idle", "loaded"],
      rows: [],
      held: [],
    }
    for (const engine of engines) {
      const { used } = await byTurns(bench.options.turns, { used: () => measure(bench, engine) })
      const [idle, loaded] = [median(used.map((one) => one.idle)), median(used.map((one) => one.loaded))]
      section.rows.push([engineNames[engine], megabytes(idle), megabytes(loaded)])
      section.held.push(hold("idleMemory", engineNames[engine], idle / 1e6))
    }
    return [section]
  },
}

async function measure(bench: Bench, engine: (typeof engines)[number]): Promise<Memory> {
  const location = await newStoreLocation(bench, engine)
  const maker = await startProduct(bench, location)
  const stocked = await stock(maker, 50)
  await maker.stop()

  const product = await startProduct(bench, location)
  const line = await openLine(product.port)
  const request = readRequest(stocked.key)
  await line.ask(request, 200)
  await wait(2_000)
  const idle = residentBytes(product.pid)
  await bench.load({ port: product.port, request, status: 200, connections: 64 })
  await line.ask(bulkRequest(stocked.cookie, stocked.environment.id, variableList(10_000)), 200)
  const loaded = residentBytes(product.pid)
  line.close()
  await product.stop()
  return { idle, loaded }
}
