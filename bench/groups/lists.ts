import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openLine } from "../load/line.ts"
import { requestText } from "../load/request.ts"
import { startProduct } from "../product.ts"
import { milliseconds, type Section, times, whole } from "../report.ts"
import { seed } from "../seed.ts"
import { bulkRequest, newEnvironment, readRequest, stock, variableList, writeRequest } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median, medianOf, medianRatio } from "../turns.ts"

type Engine = (typeof engines)[number]

/** One call with a short answer, and with one that is `growth` times as long. */
interface Contest {
  what: string
  growth: number
  small: () => Promise<number>
  large: () => Promise<number>
}

export const lists: Group = {
  name: "lists",
  async run(bench) {
    const section: Section = {
      title: "Lists as they grow",
      how: "The same call on a small and on a large store, over one connection, from sending to the last byte. One owner has all collections; each has ten environments, and each environment a key. No call may cost more per thing returned.",
      columns: ["", "small", "large", "times, per thing returned"],
      rows: [],
      held: [],
    }
    for (const engine of engines) await measure(bench, engine, section)
    return [section]
  },
}

async function measure(bench: Bench, engine: Engine, section: Section): Promise<void> {
  const [few, many] = bench.options.quick ? [1_000, 10_000] : [5_000, 100_000]
  const [small, large] = [await owner(bench, engine, few), await owner(bench, engine, many)]
  const contests: Contest[] = [
    {
      what: `${whole(few / 10)} and ${whole(many / 10)} collections`,
      growth: many / few,
      small: small.listCollections,
      large: large.listCollections,
    },
    {
      what: "an environment of 1,000 and of 10,000 items",
      growth: 10,
      small: await small.listItems(1_000),
      large: await small.listItems(10_000),
    },
    {
      what: `first read after a change, among ${whole(few)} and ${whole(many)} keys`,
      growth: 1,
      small: small.firstRead,
      large: large.firstRead,
    },
  ]
  for (const contest of contests) await compare(bench, engine, { contest, section })
  for (const { stop } of [small, large]) await stop()
}

async function compare(
  bench: Bench,
  engine: Engine,
  { contest: { what, growth, small, large }, section }: { contest: Contest; section: Section },
): Promise<void> {
  const where = `${engineNames[engine]}, ${what}`
  bench.say(`  ${where}`)
  const repeats = Math.max(3, Math.round(bench.options.calls / 20))
  const results = await byTurns(bench.options.turns, {
    small: () => medianOf(repeats, small),
    large: () => medianOf(repeats, large),
  })
  const perThing = medianRatio(results.large, results.small) / growth
  section.rows.push([where, milliseconds(median(results.small)), milliseconds(median(results.large)), times(perThing)])
  section.held.push(hold("lists", where, perThing))
}

/** An owner with that many environments, and the calls to measure. */
async function owner(bench: Bench, engine: Engine, environments: number) {
  bench.say(`  ${engineNames[engine]}: storing ${whole(environments)} environments`)
  const location = await newStoreLocation(bench, engine)
  const empty = await startProduct(bench, location)
  const stocked = await stock(empty, 1)
  await empty.stop()
  await seed(location, stocked, environments)

  const product = await startProduct(bench, location)
  const line = await openLine(product.port)
  const { cookie, collectionId, key } = stocked
  const get = (path: string) => requestText({ path: `/api${path}`, headers: { cookie } })
  let changes = 0
  return {
    listCollections: async () => (await line.ask(get("/collection"), 200)).ms,
    async listItems(count: number) {
      const id = await newEnvironment(product.url, { cookie, collectionId, name: `of ${count}` })
      await line.ask(bulkRequest(cookie, id, variableList(count)), 200)
      return async () => (await line.ask(get(`/subcollection/${id}`), 200)).ms
    },
    async firstRead() {
      await line.ask(writeRequest(stocked, ++changes), 200)
      return (await line.ask(readRequest(key), 200)).ms
    },
    async stop() {
      line.close()
      await product.stop()
    },
  }
}
