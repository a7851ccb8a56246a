import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openLine } from "../load/line.ts"
import { type Request, requestText } from "../load/request.ts"
import { startProduct } from "../product.ts"
import { milliseconds, type Section, whole } from "../report.ts"
import { seed } from "../seed.ts"
import { type Stock, stock } from "../stock.ts"
import { newStoreLocation, type StoreLocation } from "../store-location.ts"
import { byTurns, median, medianOf } from "../turns.ts"

type Engine = (typeof engines)[number]

const [few, many] = [1_000, 100_000]
const namesPerEnvironment = 100

/** The names are all of the form SERVICE_SETTING_NUMBER_00042. */
const searches = [
  ["part of every name", "setting"],
  ["part of a few names", "r_00042"],
  ["part of no name", "missing"],
] as const

export const find: Group = {
  name: "find",
  async run(bench) {
    const section: Section = {
      title: "Find by name",
      how: `The same search by an owner of ${whole(few)} and of ${whole(many)} variables, ${namesPerEnvironment} in each environment and ten environments in each collection, over one connection, from sending to the last byte. The first search after a start reads all names from the database, and has no budget: later ones find them in memory, except for those of environments that have changed.`,
      columns: ["", `among ${whole(few)}`, `among ${whole(many)}`],
      rows: [],
      held: [],
    }
    for (const engine of engines) await measure(bench, engine, section)
    return [section]
  },
}

async function measure(bench: Bench, engine: Engine, section: Section): Promise<void> {
  const [small, large] = [await stored(bench, engine, few), await stored(bench, engine, many)]
  const compare = async (what: string, turns: number, contenders: Record<"small" | "large", () => Promise<number>>) => {
    const where = `${engineNames[engine]}, ${what}`
    bench.say(`  ${where}`)
    const results = await byTurns(turns, contenders)
    section.rows.push([where, milliseconds(median(results.small)), milliseconds(median(results.large))])
    return { where, largeMs: median(results.large) }
  }
  const first = (store: Stored) => async () => {
    const searcher = await start(bench, store)
    // The process has answered something, but no search.
    await searcher.list()
    const ms = await searcher.find(searches[0][1])
    await searcher.stop()
    return ms
  }
  await compare("first search after a start", 3, { small: first(small), large: first(large) })

  const [inSmall, inLarge] = [await start(bench, small), await start(bench, large)]
  for (const [what, text] of searches) {
    const search = ({ find }: Searcher) => medianOf(bench.options.calls, () => find(text))
    const contenders = { small: () => search(inSmall), large: () => search(inLarge) }
    const { where, largeMs } = await compare(what, bench.options.turns, contenders)
    section.held.push(hold("find", where, largeMs))
  }
  for (const { stop } of [inSmall, inLarge]) await stop()
}

interface Stored {
  location: StoreLocation
  stocked: Stock
}

async function stored(bench: Bench, engine: Engine, names: number): Promise<Stored> {
  bench.say(`  ${engineNames[engine]}: storing ${whole(names)} names`)
  const location = await newStoreLocation(bench, engine)
  const empty = await startProduct(bench, location)
  const stocked = await stock(empty, namesPerEnvironment)
  await empty.stop()
  await seed(location, stocked, names)
  return { location, stocked }
}

type Searcher = Awaited<ReturnType<typeof start>>

async function start(bench: Bench, { location, stocked: { cookie } }: Stored) {
  const product = await startProduct(bench, location)
  const line = await openLine(product.port)
  const ask = async (request: Request) => (await line.ask(requestText(request), 200)).ms
  return {
    list: () => ask({ path: "/api/collection", headers: { cookie } }),
    find: (text: string) => ask({ method: "POST", path: "/api/find", headers: { cookie }, body: { text } }),
    async stop() {
      line.close()
      await product.stop()
    },
  }
}
