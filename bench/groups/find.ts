import { onEachEngine } from "../bench.ts"
import { hold } from "../budgets.ts"
import { engineNames } from "../engines.ts"
import { requestText } from "../load/request.ts"
import { milliseconds, whole } from "../report.ts"
import { copyEnvironments } from "../seed.ts"
import { makeStore, serve } from "../served.ts"
import { compare, medianOf } from "../turns.ts"

const [few, many] = [1_000, 100_000]
const namesPerEnvironment = 100

/** The names are all of the form SERVICE_SETTING_NUMBER_00042. */
const searches = [
  ["part of every name", "setting"],
  ["part of a few names", "r_00042"],
  ["part of no name", "missing"],
] as const

const head = {
  title: "Find by name",
  how: `The same search by an owner of ${whole(few)} and of ${whole(many)} variables, ${namesPerEnvironment} in each environment and ten environments in each collection, over one connection, from sending to the last byte. The first search after a start reads all names from the database, and is not counted: later ones find them in memory, except for those of environments that have changed.`,
  columns: ["", `among ${whole(few)}`, `among ${whole(many)}`],
}

export const find = onEachEngine("find", head, async (bench, engine, section) => {
  const among = async (names: number) => {
    bench.say(`    storing ${whole(names)} names`)
    const fill = copyEnvironments(names / namesPerEnvironment)
    const store = await makeStore(bench, engine, { variables: namesPerEnvironment, fill })
    const { ask, stop } = await serve(bench, store)
    const { cookie } = store.stocked
    const find = (text: string) =>
      ask(requestText({ method: "POST", path: "/api/find", headers: { cookie }, body: { text } }))
    await find(searches[0][1])
    return { find, stop }
  }
  const [small, large] = [await among(few), await among(many)]

  for (const [what, text] of searches) {
    const where = `${engineNames[engine]}, ${what}`
    const { turns, calls } = bench.options
    const { first, second } = await compare(
      turns,
      () => medianOf(calls, () => small.find(text)),
      () => medianOf(calls, () => large.find(text)),
    )
    section.rows.push([where, milliseconds(first), milliseconds(second)])
    section.held.push(hold("find", where, second))
  }
  for (const { stop } of [small, large]) await stop()
})
