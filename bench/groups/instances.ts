import { setTimeout as sleep } from "node:timers/promises"
import { instanceHeaderName, variables } from "@envkeep/contract"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openLine } from "../load/line.ts"
import { requestText } from "../load/request.ts"
import { startProduct } from "../product.ts"
import { megabytes, type Section, short, times, whole } from "../report.ts"
import { residentBytes } from "../rss.ts"
import { call, type Stock, stock } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median, medianRatio } from "../turns.ts"

const size = 10_000

export const instances: Group = {
  name: "instances",
  async run(bench) {
    const section: Section = {
      title: `${whole(size)} instances`,
      how: "Each has read once and named itself. Memory of the process before and after that, and reads by one that names itself, over 64 connections: with all of them, and side by side on a server that knows no other.",
      columns: ["", "memory before", "with all of them", "kB each", "reads/s alone", "with all of them", "of alone"],
      rows: [],
      held: [],
    }
    for (const engine of engines) await measure(bench, engine, section)
    return [section]
  },
}

async function measure(bench: Bench, engine: (typeof engines)[number], section: Section): Promise<void> {
  const [alone, crowded] = [await contender(bench, engine), await contender(bench, engine)]
  const before = residentBytes(crowded.product.pid)
  await crowded.crowd()
  const after = residentBytes(crowded.product.pid)
  const results = await byTurns(bench.options.race.turns, { alone: alone.read, crowded: crowded.read })
  const ratio = medianRatio(results.crowded, results.alone)
  section.rows.push([
    engineNames[engine],
    megabytes(before),
    megabytes(after),
    short((after - before) / size / 1000),
    whole(median(results.alone)),
    whole(median(results.crowded)),
    times(ratio),
  ])
  section.held.push(hold("instances", engineNames[engine], ratio))
  await alone.product.stop()
  await crowded.product.stop()
}

async function contender(bench: Bench, engine: (typeof engines)[number]) {
  const product = await startProduct(bench, await newStoreLocation(bench, engine))
  const stocked = await stock(product, 50)
  const request = namedRead(stocked, "reader")
  return {
    product,
    async crowd() {
      const line = await openLine(product.port)
      for (let n = 0; n < size; n++) await line.ask(namedRead(stocked, `host-${n}`), 200)
      line.close()
      await untilSaved(product.url, stocked)
    },
    async read() {
      const { seconds } = bench.options.race
      return (await bench.load({ port: product.port, request, status: 200, connections: 64, seconds })).perSecond
    },
  }
}

function namedRead({ key }: Stock, label: string): string {
  return requestText({
    path: `/api${variables.read.path}`,
    headers: { authorization: `Bearer ${key}`, "user-agent": "envkeep/0.2.0", [instanceHeaderName]: `${label};1` },
  })
}

async function untilSaved(url: string, { cookie, collectionId }: Stock): Promise<void> {
  for (;;) {
    const path = `/collections/${collectionId}/instances`
    const counts = await call<{ running: number }[]>(url, { path, headers: { cookie } })
    if (counts[0]?.running === size) return
    await sleep(100)
  }
}
