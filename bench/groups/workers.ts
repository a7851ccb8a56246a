import { readdirSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { hasWrk, readByWrk } from "../load/wrk.ts"
import { type Product, startProduct } from "../product.ts"
import { type Section, times, whole } from "../report.ts"
import { readRequest, stock } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { byTurns, median, medianRatio } from "../turns.ts"

type Engine = (typeof engines)[number]

interface Measured {
  perSecond: number
  /** Answers for each second of processor time that the product used. */
  perCpuSecond: number
}

export const workers: Group = {
  name: "workers",
  async run(bench) {
    const section: Section = {
      title: "More than one process (ENVKEEP_WORKERS)",
      how: "",
      columns: ["", "reads/s", "of one, measured", "reads per CPU s", "of one, computed"],
      rows: [],
      held: [],
    }
    const isLight = hasWrk()
    const generator = isLight
      ? "one thread of wrk, which takes a small part of one core"
      : "our own, since wrk is not installed: it takes one core, so the second process has to share the other"
    section.how = `Reads over 64 connections, in ${2 * bench.options.turns} turns. Measured: reads a second, and their ratio to one process, on the same ${availableParallelism()} cores as the load generator (${generator}); and the reads for each second of processor time that the product used. Computed, not measured: the ratio if every process had a core to itself, which is the number of processes times the ratio of reads per CPU second. The budget takes the measured ratio where there are more than two cores. On two cores the generator has no core of its own, so the budget takes the computed one.`
    for (const engine of engines) await compare(bench, engine, { isLight, section })
    return [section]
  },
}

async function compare(
  bench: Bench,
  engine: Engine,
  { isLight, section }: { isLight: boolean; section: Section },
): Promise<void> {
  const [one, two] = [
    await contender(bench, engine, { count: 1, isLight }),
    await contender(bench, engine, { count: 2, isLight }),
  ]
  const results = await byTurns(2 * bench.options.turns, { one, two })
  const rates = (name: "one" | "two") => results[name].map(({ perSecond }) => perSecond)
  const costs = (name: "one" | "two") => results[name].map(({ perCpuSecond }) => perCpuSecond)
  for (const name of ["one", "two"] as const) {
    section.rows.push([
      `${engineNames[engine]}, ${name} process${name === "one" ? "" : "es"}`,
      whole(median(rates(name))),
      times(medianRatio(rates(name), rates("one"))),
      whole(median(costs(name))),
      times((name === "one" ? 1 : 2) * medianRatio(costs(name), costs("one"))),
    ])
  }
  // On two cores, the measured ratio says how much of them the generator leaves to the product.
  const hasRoom = availableParallelism() > 2
  const measured = medianRatio(rates("two"), rates("one"))
  const computed = 2 * medianRatio(costs("two"), costs("one"))
  const where = `${engineNames[engine]}, ${hasRoom ? "measured" : "computed from processor time"}`
  section.held.push(hold("workers", where, hasRoom ? measured : computed))
}

async function contender(
  bench: Bench,
  engine: Engine,
  { count, isLight }: { count: number; isLight: boolean },
): Promise<() => Promise<Measured>> {
  const product = await startProduct(bench, await newStoreLocation(bench, engine), { workers: count })
  const { key } = await stock(product, 50)
  const { port } = product
  const { seconds } = bench.options
  return async () => {
    const before = cpuSeconds(product)
    const began = performance.now()
    const perSecond = isLight
      ? await readByWrk(port, key, { connections: 64, seconds })
      : (await bench.load({ port, request: readRequest(key), status: 200, connections: 64 })).perSecond
    const took = (performance.now() - began) / 1000
    return { perSecond, perCpuSecond: (perSecond * took) / (cpuSeconds(product) - before) }
  }
}

/** Of the product and its workers. Only Linux reports it; elsewhere the columns stay empty. */
function cpuSeconds({ pid }: Product): number {
  const ticksPerSecond = 100
  try {
    const fields = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((name) => statOf(name))
      .filter((stat) => stat?.pid === pid || stat?.parent === pid)
    return fields.reduce((sum, stat) => sum + (stat?.ticks ?? 0), 0) / ticksPerSecond
  } catch {
    return Number.NaN
  }
}

function statOf(pid: string): { pid: number; parent: number; ticks: number } | undefined {
  try {
    // The program's name, in brackets, may contain spaces: count the fields after it.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
    return { pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
  } catch {
    return undefined // the process has just ended
  }
}
