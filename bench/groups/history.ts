import { openBareStore } from "../bare-store.ts"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openLine } from "../load/line.ts"
import { requestText } from "../load/request.ts"
import { startProduct } from "../product.ts"
import { milliseconds, type Section, times, whole } from "../report.ts"
import { newEnvironment, stock, writeRequest } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median, medianOf, medianRatio } from "../turns.ts"

const [few, many] = [100, 10_000]
const changes = 500

export const history: Group = {
  name: "history",
  async run(bench) {
    const pages: Section = {
      title: "History",
      how: `The first page of an environment's history, 50 revisions, over one connection, from sending to the last byte: of an environment with ${whole(few)} revisions, and with ${whole(many)}.`,
      columns: ["", `${whole(few)} revisions`, `${whole(many)} revisions`, "times"],
      rows: [],
      held: [],
    }
    const bytes: Section = {
      title: "What a change takes on disk",
      how: `By how much the tables and indexes grow with each of ${whole(changes)} changes of one short value, history included.`,
      columns: ["", "bytes"],
      rows: [],
      held: [],
    }
    for (const engine of engines) await measure(bench, engine, { pages, bytes })
    return [pages, bytes]
  },
}

async function measure(
  bench: Bench,
  engine: (typeof engines)[number],
  { pages, bytes }: Record<"pages" | "bytes", Section>,
): Promise<void> {
  const where = engineNames[engine]
  bench.say(`  ${where}`)
  const location = await newStoreLocation(bench, engine)
  const maker = await startProduct(bench, location)
  const stocked = await stock(maker, 1)
  const { cookie, collectionId } = stocked
  const ids = [
    await newEnvironment(maker.url, { cookie, collectionId, name: "few" }),
    await newEnvironment(maker.url, { cookie, collectionId, name: "many" }),
  ]
  await maker.stop()
  const bare = await openBareStore(location, stocked)
  for (const [index, id] of ids.entries()) await bare.addRevisions(id, [few, many][index] ?? 0)

  const product = await startProduct(bench, location)
  const line = await openLine(product.port)
  const page = (id: number | undefined) => async () => {
    const request = requestText({ path: `/api/environments/${id}/history`, headers: { cookie } })
    return (await line.ask(request, 200)).ms
  }
  const results = await byTurns(bench.options.race.turns, {
    few: () => medianOf(bench.options.calls, page(ids[0])),
    many: () => medianOf(bench.options.calls, page(ids[1])),
  })
  const ratio = medianRatio(results.many, results.few)
  pages.rows.push([where, milliseconds(median(results.few)), milliseconds(median(results.many)), times(ratio)])
  pages.held.push(hold("history", where, ratio))

  const before = await bare.bytes()
  for (let n = 0; n < changes; n++) await line.ask(writeRequest(stocked, n), 200)
  bytes.rows.push([where, whole(Math.round(((await bare.bytes()) - before) / changes))])
  await line.close()
  await product.stop()
  await bare.close()
}
