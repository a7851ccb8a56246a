import { type Bench, engineNames, engines, type Group } from "../bench.ts"
import { hold } from "../budgets.ts"
import type { LoadResult } from "../load/generator.ts"
import { startProduct } from "../product.ts"
import { megabytes, milliseconds, type Section, short, times, whole } from "../report.ts"
import { residentBytes } from "../rss.ts"
import { createCrowd } from "../soak/crowd.ts"
import { createRandom } from "../soak/random.ts"
import { soak as runSoak } from "../soak/run.ts"
import { readRequest, stock } from "../stock.ts"
import { newStoreLocation } from "../store-location.ts"
import { median, medianRatio } from "../turns.ts"

export const soak: Group = {
  name: "soak",
  async run(bench) {
    const count = bench.options.quick ? 500 : 5_000
    const idle: Section = {
      title: `${whole(count)} idle connections`,
      how: "Each was used once and is then kept open. Memory of the process before and after they opened; reads by key over 64 other connections, by turns without and with the idle ones.",
      columns: [
        "",
        "memory before",
        "with them",
        "kB a connection",
        "reads/s",
        "with them",
        "ratio",
        "p99",
        "with them",
      ],
      rows: [],
      held: [],
    }
    const mixed: Section = {
      title: "Mixed traffic",
      how: "The short form of `npm run soak`: eight users make every kind of call, next to ninety connections that are slow, silent or never read. Memory is the median of the second and of the last third; files and sockets are counted before and after; a probe in its own thread reports the slowest read. This is too short to judge memory by: use the long form.",
      columns: ["", "calls", "failed", "memory", "later", "files", "later", "slowest read"],
      rows: [],
      held: [],
    }
    for (const engine of engines) {
      idle.rows.push(await idleRow(bench, engine, count))
      const outcome = await runSoak(bench, { engine, minutes: bench.options.quick ? 0.1 : 0.2, seed: 1, idle: 0 })
      const failed = [...outcome.faults.values()].reduce((sum, one) => sum + one, 0)
      const third = Math.floor(outcome.rss.length / 3)
      mixed.rows.push([
        engineNames[engine],
        whole(outcome.calls),
        whole(failed),
        megabytes(median(outcome.rss.slice(third, 2 * third))),
        megabytes(median(outcome.rss.slice(2 * third))),
        String(outcome.before.files),
        String(outcome.after.files),
        milliseconds(outcome.slowestReadMs),
      ])
      mixed.held.push(hold("failedCalls", engineNames[engine], failed))
    }
    return [idle, mixed]
  },
}

async function idleRow(bench: Bench, engine: (typeof engines)[number], count: number): Promise<string[]> {
  const product = await startProduct(bench, await newStoreLocation(bench, engine))
  const { key } = await stock(product, 50)
  const load = { port: product.port, request: readRequest(key), status: 200, connections: 64 }
  // Warms the server up.
  await bench.load(load)
  const without: LoadResult[] = []
  const beside: LoadResult[] = []
  let [before, after] = [0, 0]
  for (let turn = 0; turn < Math.min(bench.options.turns, 3); turn++) {
    without.push(await bench.load(load))
    const crowd = createCrowd(product.port, key, createRandom(1))
    if (turn === 0) before = residentBytes(product.pid)
    await crowd.openIdle(count)
    if (turn === 0) after = residentBytes(product.pid)
    beside.push(await bench.load(load))
    await crowd.end()
  }
  const reads = (all: LoadResult[]) => all.map(({ perSecond }) => perSecond)
  const p99 = (all: LoadResult[]) => median(all.map((one) => one.p99))
  return [
    engineNames[engine],
    megabytes(before),
    megabytes(after),
    short((after - before) / count / 1000),
    whole(median(reads(without))),
    whole(median(reads(beside))),
    times(medianRatio(reads(beside), reads(without))),
    milliseconds(p99(without)),
    milliseconds(p99(beside)),
  ]
}
