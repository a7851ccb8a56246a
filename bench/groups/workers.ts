import { availableParallelism } from "node:os"
import { type Bench, onEachEngine } from "../bench.ts"
import { hold } from "../budgets.ts"
import { type Engine, engineNames } from "../engines.ts"
import { hasWrk, readByWrk } from "../load/wrk.ts"
import { cpuSeconds } from "../process-figures.ts"
import { times, whole } from "../report.ts"
import { makeStore, serve } from "../served.ts"
import { readRequest } from "../stock.ts"
import { byTurns, median, medianRatio } from "../turns.ts"

interface Measured {
  perSecond: number
  /** Answers for each second of processor time that the product used. */
  perCpuSecond: number
}

export const workers = onEachEngine(
  "workers",
  (bench) => {
    const generator = hasWrk()
      ? "one thread of wrk, which takes a small part of one core"
      : "our own, since wrk is not installed: it takes one core, so the second process has to share the other"
    return {
      title: "More than one process (ENVKEEP_WORKERS)",
      how: `Reads over 64 connections, in ${2 * bench.options.turns} turns. Measured: reads a second, and their ratio to one process, on the same ${availableParallelism()} cores as the load generator (${generator}); and the reads for each second of processor time that the product used. Computed, not measured: the ratio if every process had a core to itself, which is the number of processes times the ratio of reads per CPU second. The budget takes the measured ratio where there are more than two cores. On two cores the generator has no core of its own, so the budget takes the computed one.`,
      columns: ["", "reads/s", "of one, measured", "reads per CPU s", "of one, computed"],
    }
  },
  async (bench, engine, section) => {
    const [one, two] = [await contender(bench, engine, 1), await contender(bench, engine, 2)]
    const results = await byTurns(2 * bench.options.turns, { one, two })
    const rates = (name: "one" | "two") => results[name].map(({ perSecond }) => perSecond)
    const costs = (name: "one" | "two") => results[name].map(({ perCpuSecond }) => perCpuSecond)
    const measured = medianRatio(rates("two"), rates("one"))
    const computed = 2 * medianRatio(costs("two"), costs("one"))
    for (const name of ["one", "two"] as const) {
      section.rows.push([
        `${engineNames[engine]}, ${name} process${name === "one" ? "" : "es"}`,
        whole(median(rates(name))),
        times(name === "one" ? 1 : measured),
        whole(median(costs(name))),
        times(name === "one" ? 1 : computed),
      ])
    }
    // On two cores, the measured ratio says how much of them the generator leaves to the product.
    const hasRoom = availableParallelism() > 2
    const where = `${engineNames[engine]}, ${hasRoom ? "measured" : "computed from processor time"}`
    section.held.push(hold("workers", where, hasRoom ? measured : computed))
  },
)

async function contender(bench: Bench, engine: Engine, count: number): Promise<() => Promise<Measured>> {
  const { port, pid, stocked } = await serve(bench, await makeStore(bench, engine), { workers: count })
  const { seconds } = bench.options
  const request = readRequest(stocked.key)
  return async () => {
    const before = cpuSeconds(pid)
    const began = performance.now()
    const perSecond = hasWrk()
      ? await readByWrk(port, stocked.key, { connections: 64, seconds })
      : (await bench.load({ port, request, status: 200, connections: 64 })).perSecond
    const took = (performance.now() - began) / 1000
    return { perSecond, perCpuSecond: (perSecond * took) / (cpuSeconds(pid) - before) }
  }
}
