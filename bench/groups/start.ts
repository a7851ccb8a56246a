import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openLine } from "../load/line.ts"
import { readRequest, stock } from "../owner.ts"
import { freshPlace, type Place } from "../place.ts"
import { startProduct } from "../product.ts"
import { milliseconds, type Section } from "../report.ts"
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
      const place = await freshPlace(bench, engine)
      const first = await startProduct(bench, place)
      const { key } = await stock(first, 50)
      await first.stop()
      const { started } = await byTurns(bench.options.turns, { started: () => startAndRead(bench, place, key) })
      section.rows.push([engineNames[engine], milliseconds(median(started))])
      section.held.push(hold("start", engineNames[engine], median(started)))
    }
    return [section]
  },
}

async function startAndRead(bench: Bench, place: Place, key: string): Promise<number> {
  const began = performance.now()
  const product = await startProduct(bench, place)
  const line = await openLine(product.port)
  await line.ask(readRequest(key), 200)
  const took = performance.now() - began
  line.close()
  await product.stop()
  return took
}
