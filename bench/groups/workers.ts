import { readdirSync, readFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import { hasWrk, readByWrk } from "../load/wrk.ts"
import { readRequest, stock } from "../owner.ts"
import { freshPlace } from "../place.ts"
import { type Product, startProduct } from "../product.ts"
import { type Section, times, whole } from "../report.ts"
import { byTurns, median, medianRatio } from "../turns.ts"

type Engine = (typeof engines)[number]

interface Measured {
  perSecond: number
  /** Answers for each second of processor time the product took: what it could do with cores to itself. */
  perCpuSecond: number
}

export const workers: Group = {
  name: "workers",
  async run(bench) {
    const section: Section = {
      title: "More than one process (ENVKEEP_WORKERS)",
      how: "",
      columns: ["", "reads/s", "of one", "reads per CPU s", "of one, cores free"],
      rows: [],
      held: [],
    }
    const isLight = hasWrk()
    section.how = `Reads over 64 connections, in ${2 * bench.options.turns} turns, on the same ${availableParallelism()} cores as the load generator, which is ${isLight ? "one thread of wrk: it takes a small part of one core" : "our own, since wrk cannot be had here: it takes one core, so the second process has to share"}. The last two columns take the generator out altogether: answers for each second of processor time spent by the product, and what that makes of the throughput when every process has a core to itself (the number of processes times the ratio of the costs).`
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
  // Where the generator has no core of its own, what two processes reach is what it leaves them, and says little.
  const hasRoom = availableParallelism() > 2
  const ratio = hasRoom ? medianRatio(rates("two"), rates("one")) : 2 * medianRatio(costs("two"), costs("one"))
  section.held.push(hold("workers", `${engineNames[engine]}${hasRoom ? "" : ", cores free"}`, ratio))
}

async function contender(
  bench: Bench,
  engine: Engine,
  { count, isLight }: { count: number; isLight: boolean },
): Promise<() => Promise<Measured>> {
  const product = await startProduct(bench, await freshPlace(bench, engine), { workers: count })
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

/** Of the product and its workers. Only Linux tells; elsewhere the columns stay empty. */
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
    // The name of the program, in brackets, may hold spaces; the fields are counted from behind it.
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
    return { pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
  } catch {
    return undefined // it ended meanwhile
  }
}
