import { openBareStore, type SealedRow, sealedRows } from "../bare-store.ts"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { type Line, openLine } from "../load/line.ts"
import { bulkRequest, stock, writeRequest } from "../owner.ts"
import { freshPlace } from "../place.ts"
import { startProduct } from "../product.ts"
import { milliseconds, type Section, times, whole } from "../report.ts"
import { byTurns, median, medianOf, medianRatio, timed } from "../turns.ts"

const sizes = [50, 1_000, 10_000]

export const save: Group = {
  name: "save",
  async run(bench) {
    const section: Section = {
      title: "Saving",
      how: "A bulk save is one call that gives every item of the environment a new value; a single write is one that changes one item. Beside them the same rows, already sealed, in a bare transaction of the same engine with the same durability (`node:sqlite`: one prepared statement, row by row; `pg`: the rows as one set), which reads nothing and checks nothing.",
      columns: ["", "Envkeep", "bare transaction", "times"],
      rows: [],
      held: [],
    }
    for (const engine of engines) await measure(bench, engine, section)
    return [section]
  },
}

async function measure(bench: Bench, engine: (typeof engines)[number], section: Section): Promise<void> {
  const product = await startProduct(bench, await freshPlace(bench, engine))
  const ours = await stock(product, 1)
  const line = await openLine(product.port)
  // A store of its own, so that neither waits for the other; the product that made its tables is gone.
  const place = await freshPlace(bench, engine)
  const maker = await startProduct(bench, place)
  const theirs = await stock(maker, 1)
  await maker.stop()
  const bare = await openBareStore(place, theirs)

  const contest = async (what: string, count: number, once: { ours: Once; bare: Once }) => {
    const repeats = Math.max(2, Math.min(bench.options.calls, Math.round((bench.options.calls * 10) / (count + 9))))
    const results = await byTurns(bench.options.turns, {
      ours: () => medianOf(repeats, once.ours),
      bare: () => medianOf(repeats, once.bare),
    })
    const ratio = medianRatio(results.ours, results.bare)
    section.rows.push([
      `${engineNames[engine]}, ${what}`,
      milliseconds(median(results.ours)),
      milliseconds(median(results.bare)),
      times(ratio),
    ])
    if (count === 1_000) section.held.push(hold("bulkSave", engineNames[engine], ratio))
  }

  const put = (rows: SealedRow[]) => timed(() => bare.put(rows))
  await contest("single write", 1, {
    ours: alternately([writeRequest(ours, 1), writeRequest(ours, 2)], (request) => ask(line, request)),
    bare: alternately(
      [1, 2].map((mark) => sealedRows(theirs, 1, mark)),
      put,
    ),
  })
  for (const count of sizes) {
    bench.say(`  ${engineNames[engine]}: ${count}`)
    await contest(`bulk save of ${whole(count)}`, count, {
      ours: alternately(
        [1, 2].map((mark) => bulkRequest(ours, count, mark)),
        (request) => ask(line, request),
      ),
      bare: alternately(
        [1, 2].map((mark) => sealedRows(theirs, count, mark)),
        put,
      ),
    })
  }
  line.close()
  await bare.close()
}

type Once = () => Promise<number>

/** Saving what is already there would be no change, so two lists take turns. */
function alternately<Input>(inputs: Input[], work: (input: Input) => Promise<number>): Once {
  let next = 0
  return () => work(inputs[next++ % inputs.length] as Input)
}

const ask = async (line: Line, request: string) => (await line.ask(request, 200)).ms
