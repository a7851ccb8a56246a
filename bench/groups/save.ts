import { openBareStore, sealedRows } from "../bare-store.ts"
import { type Bench, onEachEngine } from "../bench.ts"
import { hold } from "../budgets.ts"
import { type Engine, engineNames } from "../engines.ts"
import { milliseconds, times, whole } from "../report.ts"
import { makeStore, serveNew } from "../served.ts"
import { bulkRequest, newCollection, newEnvironment, variableList } from "../stock.ts"
import { compare, medianOf, timed } from "../turns.ts"

const sizes = [50, 1_000, 10_000]

type Once = () => Promise<number>

/** One way to save items: with the product, and with the bare driver. */
interface Contest {
  what: string
  count: number
  ours: Once
  bare: Once
}

export const save = onEachEngine(
  "save",
  ({ options }) => ({
    title: "Saving",
    how: `A bulk save is one call: into an empty environment, or with a new value for every item of one. A single write changes one item. For comparison: the same rows, each with its version and all with their revision, encrypted beforehand, in a bare transaction of the same engine with the same durability (\`node:sqlite\`: one prepared statement, row by row; \`pg\`: the rows as one set), which reads nothing and checks nothing. Up to 1,000 items in ${options.race.turns} turns.`,
    columns: ["", "Envkeep", "bare transaction", "times"],
  }),
  async (bench, engine, section) => {
    const { calls, turns, race } = bench.options
    for (const { what, count, ours, bare } of await contests(bench, engine)) {
      const where = `${engineNames[engine]}, ${what}`
      bench.say(`    ${what}`)
      const repeats = Math.max(3, Math.min(calls, Math.round(calls / Math.sqrt(count))))
      // The largest saves take so long that a few turns even out interference.
      const { first, second, ratio } = await compare(
        count > 1_000 ? turns : race.turns,
        () => medianOf(repeats, bare),
        () => medianOf(repeats, ours),
      )
      section.rows.push([where, milliseconds(second), milliseconds(first), times(ratio)])
      if (count === 1) section.held.push(hold("singleWrite", where, ratio))
      if (count === 1_000) section.held.push(hold("bulkSave", where, ratio))
    }
  },
)

/** Each side has its own store, so that neither waits for the other. */
async function contests(bench: Bench, engine: Engine): Promise<Contest[]> {
  const { url, stocked, ask, change } = await serveNew(bench, engine, { variables: 1 })
  const theirs = await makeStore(bench, engine, { variables: 1 })
  const bare = await openBareStore(theirs)
  bench.cleanup.later(() => bare.close())

  const { cookie } = stocked
  const put = (environmentId: number, count: number) => {
    const rows = sealedRows(count)
    return timed(() => bare.put(environmentId, rows))
  }
  const single: Contest = {
    what: "single write",
    count: 1,
    ours: change,
    bare: () => put(theirs.stocked.environment.id, 1),
  }
  return [single, ...sizes.map(allNew), ...sizes.map(allChanged)]

  function allNew(count: number): Contest {
    return {
      what: `bulk save of ${whole(count)}, all new`,
      count,
      ours: async () => {
        // Each in a collection of its own, because a collection holds only so much.
        const collectionId = await newCollection(url, cookie)
        const id = await newEnvironment(url, { cookie, collectionId, name: "empty" })
        return ask(bulkRequest(cookie, id, variableList(count)))
      },
      bare: async () => put(await bare.newEnvironment(), count),
    }
  }

  function allChanged(count: number): Contest {
    return {
      what: `bulk save of ${whole(count)}, all changed`,
      count,
      ours: () => ask(bulkRequest(cookie, stocked.environment.id, variableList(count, ++saves))),
      bare: () => put(theirs.stocked.environment.id, count),
    }
  }
}

/** Each save differs from the one before: saving the same again changes nothing. */
let saves = 0
