import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openLine } from "../load/line.ts"
import { startProduct } from "../product.ts"
import { milliseconds, type Section } from "../report.ts"
import { readRequest, stock } from "../stock.ts"
import { newStoreLocation, type StoreLocation } from "../store-location.ts"
import { byTurns, median } from "../turns.ts"

export const start: Group = {
  name: "start",
  async run(bench) {
    const section: Section = {
      title: "Start to first answer",
      how: "From starting the built server on a store that is already there until a reader has its 50 variables.",
      columns: ["", "first answer"],
      rows: [],
      held: [],
    }
    for (const engine of engines) {
      const location = await newStoreLocation(bench, engine)
      const first = await startProduct(bench, location)
      const { key } = await stock(first, 50)
      await first.stop()
      const { started } = await byTurns(bench.options.turns, { started: () => startAndRead(bench, location, key) })
      section.rows.push([engineNames[engine], milliseconds(median(started))])
      section.held.push(hold("start", engineNames[engine], median(started)))
    }
    return [section]
  },
}

async function startAndRead(bench: Bench, location: StoreLocation, key: string): Promise<number> {
  const began = performance.now()
  const product = await startProduct(bench, location)
  const line = await openLine(product.port)
  await line.ask(readRequest(key), 200)
  const took = performance.now() - began
  line.close()
  await product.stop()
  return took
}
