import { onEachEngine } from "../bench.ts"
import { hold } from "../budgets.ts"
import { addTimes } from "../compare-times.ts"
import { engineNames } from "../engines.ts"
import { whole } from "../report.ts"
import { copyEnvironments } from "../seed.ts"
import { makeStore, type Served, serve } from "../served.ts"
import { bulkRequest, newEnvironment, variableList } from "../stock.ts"

const head = {
  title: "Lists as they grow",
  how: "The same call on a small and on a large store, over one connection, from sending to the last byte. One owner has all collections; each has ten environments, and each environment a key. No call may cost more per thing returned.",
  columns: ["", "small", "large", "times, per thing returned"],
}

export const lists = onEachEngine("lists", head, async (bench, engine, section) => {
  const [few, many] = bench.options.quick ? [1_000, 10_000] : [5_000, 100_000]
  const ofMany = async (environments: number) => {
    bench.say(`    storing ${whole(environments)} environments`)
    return serve(bench, await makeStore(bench, engine, { variables: 1, fill: copyEnvironments(environments) }))
  }
  const [small, large] = [await ofMany(few), await ofMany(many)]
  const contests = [
    {
      what: `${whole(few / 10)} and ${whole(many / 10)} collections`,
      growth: many / few,
      first: () => small.get("/collection"),
      second: () => large.get("/collection"),
    },
    {
      what: "an environment of 1,000 and of 10,000 items",
      growth: 10,
      first: await itemList(small, 1_000),
      second: await itemList(small, 10_000),
    },
    {
      what: `first read after a change, among ${whole(few)} and ${whole(many)} keys`,
      growth: 1,
      first: () => small.change().then(small.read),
      second: () => large.change().then(large.read),
    },
  ]

  const repeats = Math.max(3, Math.round(bench.options.calls / 20))
  for (const { what, growth, first, second } of contests) {
    const where = `${engineNames[engine]}, ${what}`
    const contest = { turns: bench.options.turns, calls: repeats, first, second, growth }
    section.held.push(hold("lists", where, await addTimes(section, where, contest)))
  }
  for (const { stop } of [small, large]) await stop()
})

/** Makes an environment of so many items, and returns the call that lists them. */
async function itemList({ url, ask, get, stocked }: Served, count: number): Promise<() => Promise<number>> {
  const { cookie, collectionId } = stocked
  const id = await newEnvironment(url, { cookie, collectionId, name: `of ${count}` })
  await ask(bulkRequest(cookie, id, variableList(count)))
  return () => get(`/subcollection/${id}`)
}
