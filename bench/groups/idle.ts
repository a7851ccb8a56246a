import { onEachEngine } from "../bench.ts"
import { engineNames } from "../engines.ts"
import { gatherCrowd } from "../load/crowd.ts"
import type { LoadResult } from "../load/generator.ts"
import { requestText } from "../load/request.ts"
import { residentBytes } from "../process-figures.ts"
import { megabytes, milliseconds, short, times, whole } from "../report.ts"
import { serveNew } from "../served.ts"
import { readRequest } from "../stock.ts"
import { median, medianRatio } from "../turns.ts"

const sizeOf = ({ quick }: { quick: boolean }) => (quick ? 500 : 5_000)

export const idle = onEachEngine(
  "idle",
  ({ options }) => ({
    title: `${whole(sizeOf(options))} idle connections`,
    how: "Each was used once and is then kept open. Memory of the process before and after they opened; reads by key over 64 other connections, by turns without and with the idle ones.",
    columns: ["", "memory before", "with them", "kB a connection", "reads/s", "with them", "ratio", "p99", "with them"],
  }),
  async (bench, engine, section) => {
    const size = sizeOf(bench.options)
    const { port, pid, stocked } = await serveNew(bench, engine)
    const load = () => bench.load({ port, request: readRequest(stocked.key), status: 200, connections: 64 })
    // Warms the server up.
    await load()

    const [without, beside, memory]: [LoadResult[], LoadResult[], number[]] = [[], [], []]
    for (let turn = 0; turn < Math.min(bench.options.turns, 3); turn++) {
      without.push(await load())
      memory.push(residentBytes(pid))
      const request = requestText({ path: "/healthz" })
      const crowd = await gatherCrowd(bench.cleanup, { port, size, request, event: "HTTP" })
      memory.push(residentBytes(pid))
      beside.push(await load())
      await crowd.leave()
    }

    // Of the first turn: a process keeps the memory that it once had.
    const [before = Number.NaN, after = Number.NaN] = memory
    const rates = (all: LoadResult[]) => all.map(({ perSecond }) => perSecond)
    const p99 = (all: LoadResult[]) => median(all.map((one) => one.p99))
    section.rows.push([
      engineNames[engine],
      megabytes(before),
      megabytes(after),
      short((after - before) / size / 1000),
      whole(median(rates(without))),
      whole(median(rates(beside))),
      times(medianRatio(rates(beside), rates(without))),
      milliseconds(p99(without)),
      milliseconds(p99(beside)),
    ])
  },
)
