import { type Bench, engineNames, type engines } from "../bench.ts"
import { hold } from "../budgets.ts"
import { startProduct } from "../product.ts"
import { type Section, times, whole } from "../report.ts"
import { readRequest, stock } from "../stock.ts"
import { newStoreLocation, type StoreLocation } from "../store-location.ts"
import { byTurns, median, medianRatio } from "../turns.ts"

export function readsSection(): Section {
  return {
    title: "Reads by key in a company's store",
    how: "An environment of 50 variables, from memory over 64 connections: in a store that holds nothing else, and in the company's.",
    columns: ["", "empty store", "company's store", "of the empty one"],
    rows: [],
    held: [],
  }
}

export async function measureReads(
  bench: Bench,
  engine: (typeof engines)[number],
  large: StoreLocation,
  section: Section,
): Promise<void> {
  const readers = {
    empty: await reader(bench, await newStoreLocation(bench, engine)),
    large: await reader(bench, large),
  }
  const results = await byTurns(bench.options.race.turns, { empty: readers.empty.read, large: readers.large.read })
  for (const { stop } of Object.values(readers)) await stop()
  const ratio = medianRatio(results.large, results.empty)
  const [empty, full] = [median(results.empty), median(results.large)]
  section.rows.push([engineNames[engine], `${whole(empty)}/s`, `${whole(full)}/s`, times(ratio)])
  section.held.push(hold("companyReads", engineNames[engine], ratio))
}

async function reader(bench: Bench, location: StoreLocation) {
  const product = await startProduct(bench, location)
  const { key } = await stock(product, 50)
  const request = readRequest(key)
  const { seconds } = bench.options.race
  return {
    stop: product.stop,
    read: async () =>
      (await bench.load({ port: product.port, request, status: 200, connections: 64, seconds })).perSecond,
  }
}
