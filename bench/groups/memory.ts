import { setTimeout as wait } from "node:timers/promises"
import { onEachEngine } from "../bench.ts"
import { hold } from "../budgets.ts"
import { engineNames } from "../engines.ts"
import { residentBytes } from "../process-figures.ts"
import { megabytes } from "../report.ts"
import { type Served, serveNew } from "../served.ts"
import { bulkRequest, readRequest, variableList } from "../stock.ts"
import { median } from "../turns.ts"

/** V8 returns what a start leaves behind by itself, but not in the first seconds. */
const idleMs = 60_000

const head = {
  title: "Memory",
  how: "Resident set of the process. Idle: a minute after the start, with one read answered. Loaded: right after a turn of reads over 64 connections and a bulk save of 10,000 items.",
  columns: ["", "idle", "loaded"],
}

export const memory = onEachEngine("memory", head, async (bench, engine, section) => {
  // Each with a store of its own. They wait together, since none of them does anything.
  const all: Served[] = []
  while (all.length < bench.options.turns) all.push(await serveNew(bench, engine))
  for (const { read } of all) await read()
  await wait(idleMs)
  const idle = median(all.map(({ pid }) => residentBytes(pid)))

  const loaded: number[] = []
  for (const { port, pid, stocked, ask, stop } of all) {
    await bench.load({ port, request: readRequest(stocked.key), status: 200, connections: 64 })
    await ask(bulkRequest(stocked.cookie, stocked.environment.id, variableList(10_000)))
    loaded.push(residentBytes(pid))
    await stop()
  }
  section.rows.push([engineNames[engine], megabytes(idle), megabytes(median(loaded))])
  section.held.push(hold("idleMemory", engineNames[engine], idle / 1e6))
})
