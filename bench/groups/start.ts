import { onEachEngine } from "../bench.ts"
import { hold } from "../budgets.ts"
import { engineNames } from "../engines.ts"
import { milliseconds } from "../report.ts"
import { makeStore, serve } from "../served.ts"
import { medianOf } from "../turns.ts"

const head = {
  title: "Start to first answer",
  how: "From starting the built server on a store that is already there until a reader has its 50 variables.",
  columns: ["", "first answer"],
}

export const start = onEachEngine("start", head, async (bench, engine, section) => {
  const store = await makeStore(bench, engine)
  const startedMs = await medianOf(bench.options.turns, async () => {
    const began = performance.now()
    const { read, stop } = await serve(bench, store)
    await read()
    const took = performance.now() - began
    await stop()
    return took
  })
  section.rows.push([engineNames[engine], milliseconds(startedMs)])
  section.held.push(hold("start", engineNames[engine], startedMs))
})
