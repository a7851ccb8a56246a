import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openLine } from "../load/line.ts"
import { startProduct } from "../product.ts"
import { milliseconds, type Section, times, whole } from "../report.ts"
import { seed } from "../seed.ts"
import { readRequest, stock, writeRequest } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median, medianOf, medianRatio } from "../turns.ts"

export const growth: Group = {
  name: "growth",
  async run(bench) {
    const section: Section = {
      title: "Read by key as the store grows",
      how: "The environment that is read has 50 variables. Every other environment in the store has 50 too, and a key. Reads from memory over 64 connections (in as many and as short turns as above), and the first read after a change over one connection, which queries the database.",
      columns: ["", "reads/s", "of the smallest", "first read", "times the smallest"],
      rows: [],
      held: [],
    }
    for (const engine of engines) await measure(bench, engine, section)
    return [section]
  },
}

async function measure(bench: Bench, engine: (typeof engines)[number], section: Section): Promise<void> {
  const sizes = bench.options.quick ? [1_000, 20_000] : [1_000, 100_000, 1_000_000]
  const stores = new Map<string, Awaited<ReturnType<typeof contender>>>()
  for (const size of sizes) stores.set(whole(size), await contender(bench, engine, size))
  bench.say(`  ${engineNames[engine]}: reading`)
  const hot = await byTurns(
    bench.options.race.turns,
    Object.fromEntries([...stores].map(([size, store]) => [size, store.readHot])),
  )
  const cold = await byTurns(
    bench.options.turns,
    Object.fromEntries([...stores].map(([size, store]) => [size, store.readCold])),
  )
  for (const store of stores.values()) await store.stop()

  const of = (results: Record<string, number[]>, size: string) => results[size] ?? []
  const [smallest = ""] = stores.keys()
  for (const size of stores.keys()) {
    const ratio = medianRatio(of(hot, size), of(hot, smallest))
    section.rows.push([
      `${engineNames[engine]}, ${size} items`,
      whole(median(of(hot, size))),
      times(ratio),
      milliseconds(median(of(cold, size))),
      times(medianRatio(of(cold, size), of(cold, smallest))),
    ])
    // The short form stores too little to check the promise.
    if (size === whole(1_000_000)) section.held.push(hold("growth", engineNames[engine], ratio))
  }
}

async function contender(bench: Bench, engine: (typeof engines)[number], items: number) {
  bench.say(`  ${engineNames[engine]}: storing ${whole(items)} items`)
  const location = await newStoreLocation(bench, engine)
  const empty = await startProduct(bench, location)
  const stocked = await stock(empty, 50)
  await empty.stop()
  await seed(location, stocked, items)

  const product = await startProduct(bench, location)
  const request = readRequest(stocked.key)
  let changes = 0
  return {
    stop: product.stop,
    async readHot() {
      const { seconds } = bench.options.race
      return (await bench.load({ port: product.port, request, status: 200, connections: 64, seconds })).perSecond
    },
    async readCold() {
      const line = await openLine(product.port)
      const took = await medianOf(bench.options.calls, async () => {
        await line.ask(writeRequest(stocked, ++changes), 200)
        return (await line.ask(request, 200)).ms
      })
      line.close()
      return took
    },
  }
}
