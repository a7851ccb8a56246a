import { onEachEngine } from "../bench.ts"
import { hold } from "../budgets.ts"
import { engineNames } from "../engines.ts"
import { milliseconds, times, whole } from "../report.ts"
import { copyEnvironments } from "../seed.ts"
import { makeStore, type Served, serve } from "../served.ts"
import { byTurns, median, medianOf, medianRatio } from "../turns.ts"

const itemsPerEnvironment = 50
const most = 1_000_000

const head = {
  title: "Read by key as the store grows",
  how: "The environment that is read has 50 variables. Every other environment in the store has 50 too, and a key. Reads from memory over 64 connections (in as many and as short turns as above), and the first read after a change over one connection, which queries the database.",
  columns: ["", "reads/s", "of the smallest", "first read", "times the smallest"],
}

export const growth = onEachEngine("growth", head, async (bench, engine, section) => {
  const sizes = bench.options.quick ? [1_000, 20_000] : [1_000, 100_000, most]
  const stores = new Map<string, Served>()
  for (const size of sizes) {
    bench.say(`    storing ${whole(size)} items`)
    const store = await makeStore(bench, engine, { fill: copyEnvironments(size / itemsPerEnvironment) })
    stores.set(whole(size), await serve(bench, store))
  }
  const onAll = (turns: number, once: (served: Served) => Promise<number>) =>
    byTurns(turns, Object.fromEntries(Array.from(stores, ([size, served]) => [size, () => once(served)])))
  const hot = await onAll(bench.options.race.turns, ({ readRate }) => readRate())
  const cold = await onAll(bench.options.turns, ({ change, read }) =>
    medianOf(bench.options.calls, () => change().then(read)),
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
    if (size === whole(most)) section.held.push(hold("growth", engineNames[engine], ratio))
  }
})
