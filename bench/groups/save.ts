import { openBareStore, sealedRows } from "../bare-store.ts"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { openLine } from "../load/line.ts"
import { startProduct } from "../product.ts"
import { milliseconds, type Section, times, whole } from "../report.ts"
import { bulkRequest, newCollection, newEnvironment, stock, variableList, writeRequest } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median, medianOf, medianRatio, timed } from "../turns.ts"

const sizes = [50, 1_000, 10_000]

type Once = () => Promise<number>

/** One way to save items: with the product, and with the bare driver. */
interface Contest {
  what: string
  count: number
  ours: Once
  bare: Once
}

export const save: Group = {
  name: "save",
  async run(bench) {
    const section: Section = {
      title: "Saving",
      how: `A bulk save is one call: into an empty environment, or with a new value for every item of one. A single write changes one item. For comparison: the same rows, each with its version and all with their revision, encrypted beforehand, in a bare transaction of the same engine with the same durability (\`node:sqlite\`: one prepared statement, row by row; \`pg\`: the rows as one set), which reads nothing and checks nothing. Up to 1,000 items in ${bench.options.race.turns} turns.`,
      columns: ["", "Envkeep", "bare transaction", "times"],
      rows: [],
      held: [],
    }
    for (const engine of engines) {
      for (const contest of await contests(bench, engine)) await measure(bench, engine, { contest, section })
    }
    return [section]
  },
}

async function measure(
  bench: Bench,
  engine: (typeof engines)[number],
  { contest: { what, count, ours, bare }, section }: { contest: Contest; section: Section },
): Promise<void> {
  bench.say(`  ${engineNames[engine]}: ${what}`)
  const repeats = Math.max(3, Math.min(bench.options.calls, Math.round(bench.options.calls / Math.sqrt(count))))
  // The largest saves take so long that a few turns even out interference.
  const turns = count > 1_000 ? bench.options.turns : bench.options.race.turns
  const results = await byTurns(turns, {
    ours: () => medianOf(repeats, ours),
    bare: () => medianOf(repeats, bare),
  })
  const ratio = medianRatio(results.ours, results.bare)
  const where = `${engineNames[engine]}, ${what}`
  section.rows.push([where, milliseconds(median(results.ours)), milliseconds(median(results.bare)), times(ratio)])
  if (count === 1) section.held.push(hold("singleWrite", where, ratio))
  if (count === 1_000) section.held.push(hold("bulkSave", where, ratio))
}

async function contests(bench: Bench, engine: (typeof engines)[number]): Promise<Contest[]> {
  const product = await startProduct(bench, await newStoreLocation(bench, engine))
  const ours = await stock(product, 1)
  const line = await openLine(product.port)
  bench.cleanup.later(() => line.close())
  // Each has its own store, so that neither waits for the other. The product that created the tables has stopped.
  const location = await newStoreLocation(bench, engine)
  const maker = await startProduct(bench, location)
  const theirs = await stock(maker, 1)
  await maker.stop()
  const bare = await openBareStore(location, theirs)
  bench.cleanup.later(() => bare.close())

  const { cookie } = ours
  // Each in a collection of its own, because a collection holds only so much.
  const make = async () =>
    newEnvironment(product.url, { cookie, ...(await newCollection(product.url, cookie)), name: "empty" })
  const ask = async (request: string) => (await line.ask(request, 200)).ms
  const put = (environmentId: number, count: number) => {
    const rows = sealedRows(count)
    return timed(() => bare.put(environmentId, rows))
  }
  const single: Contest = {
    what: "single write",
    count: 1,
    ours: () => ask(writeRequest(ours, ++made)),
    bare: () => put(theirs.environment.id, 1),
  }
  return [single, ...sizes.map(first), ...sizes.map(again)]

  function first(count: number): Contest {
    return {
      what: `bulk save of ${whole(count)}, all new`,
      count,
      ours: async () => ask(bulkRequest(cookie, await make(), variableList(count))),
      bare: async () => put(await bare.newEnvironment(), count),
    }
  }

  function again(count: number): Contest {
    return {
      what: `bulk save of ${whole(count)}, all changed`,
      count,
      ours: () => ask(bulkRequest(cookie, ours.environment.id, variableList(count, ++made))),
      bare: () => put(theirs.environment.id, count),
    }
  }
}

/** Each save differs from the one before: saving the same again changes nothing. */
let made = 0
