import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openLine } from "../load/line.ts"
import { startPeer } from "../peers/peer.ts"
import { startProduct } from "../product.ts"
import { milliseconds, type Section, times } from "../report.ts"
import { readRequest, readText, stock, writeRequest } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median, medianOf, medianRatio } from "../turns.ts"

export const coldRead: Group = {
  name: "cold-read",
  async run(bench) {
    const section: Section = {
      title: "First read after a change",
      how: "50 variables, one connection. One item is changed before each read, so memory holds no finished answer. For comparison: the same two queries on the bare driver, behind a bare `node:http` server on the same store and after the same kind of change (it decrypts and prints nothing; its bytes are prepared), and the time of the queries inside that server. A read from memory shows the cost of the round trip alone.",
      columns: ["", "first read", "bare queries over HTTP", "times", "queries alone", "from memory"],
      rows: [],
      held: [],
    }
    for (const engine of engines) await measure(bench, engine, section)
    return [section]
  },
}

async function measure(bench: Bench, engine: (typeof engines)[number], section: Section): Promise<void> {
  const location = await newStoreLocation(bench, engine)
  const product = await startProduct(bench, location)
  const stocked = await stock(product, 50)
  const body = await readText(product, stocked)
  const peer = await startPeer(bench, "bare-queries", { location, key: stocked.key, body })
  const [writing, reading, asking] = [await openLine(product.port), await openLine(product.port), await openLine(peer)]
  const request = readRequest(stocked.key)
  let changes = 0
  const change = () => writing.ask(writeRequest(stocked, ++changes), 200)
  const alone: number[] = []

  const repeat = (once: () => Promise<number>) => medianOf(bench.options.calls, once)
  const results = await byTurns(bench.options.turns, {
    cold: () =>
      repeat(async () => {
        await change()
        return (await reading.ask(request, 200)).ms
      }),
    bare: () =>
      repeat(async () => {
        await change()
        const { head, ms } = await asking.ask(request, 200)
        alone.push(Number(/db;dur=([\d.]+)/.exec(head)?.[1]))
        return ms
      }),
    hot: () => repeat(async () => (await reading.ask(request, 200)).ms),
  })
  for (const line of [writing, reading, asking]) line.close()

  const ratio = medianRatio(results.cold, results.bare)
  section.rows.push([
    engineNames[engine],
    milliseconds(median(results.cold)),
    milliseconds(median(results.bare)),
    times(ratio),
    milliseconds(median(alone)),
    milliseconds(median(results.hot)),
  ])
  section.held.push(hold("coldRead", engineNames[engine], ratio))
}
