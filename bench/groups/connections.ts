import { setTimeout as wait } from "node:timers/promises"
import { instanceHeaderName } from "@envkeep/contract"
import { type Bench, type Cleanup, type Group, onEachEngine, type Section } from "../bench.ts"
import { type CrowdOrder, systemMs } from "../beside/crowd.ts"
import { type Beside, startBeside } from "../beside/start.ts"
import { requestText } from "../line.ts"
import { residentBytes } from "../machine.ts"
import { type Engine, engineNames } from "../options.ts"
import { megabytes, milliseconds, short, times, whole } from "../report.ts"
import { makeStore, type Served, serve, serveNew } from "../served.ts"
import { bearer, readPath, readRequest, watchPath } from "../stock.ts"
import { byTurns, compare, median, medianOf, medianRatio } from "../turns.ts"

/** Connections that each send one request and then only wait. */
export async function gatherCrowd(cleanup: Cleanup, order: CrowdOrder): Promise<Beside> {
  const crowd = startBeside(cleanup)
  await crowd.ask("crowd", order)
  return crowd
}

const nodeCount = 3
const aChange =
  "Then an item is changed; the time runs from sending that call until the last of them has the event, in the crowd's own process."

/** The short form also runs where a process may open few files. */
const sizeOf = ({ options }: Bench, size: number) => (options.quick ? 500 : size)
const watcherCount = (bench: Bench) => sizeOf(bench, 10_000)
const idleCount = (bench: Bench) => sizeOf(bench, 5_000)

export const watchers: Group = {
  name: "watchers",
  run: async (bench) => [...(await onOneNode.run(bench)), ...(await onNodes(bench))],
}

const onOneNode = onEachEngine(
  "watchers of one node",
  (bench) => ({
    title: `${whole(watcherCount(bench))} watchers`,
    how: `Each watches the same environment over its own connection. Memory of the process for each of them, and for each of as many connections that have read once and are idle. ${aChange} Reads by key over 64 connections, side by side with a server without watchers.`,
    columns: ["", "kB each", "idle, kB each", "over idle", "until the last heard", "reads/s", "of one without"],
  }),
  async (bench, engine, rows) => {
    const [alone, watched] = [await serveNew(bench, engine), await serveNew(bench, engine)]
    const idle = await gather(bench, alone, { request: readRequest(alone.stocked.key), event: "HTTP" })
    await idle.crowd.end()
    const { crowd, bytesOfEach } = await gather(bench, watched, watching(watched))
    const heardMs = await untilAllHear(bench, watched, [crowd])
    const { second, ratio } = await compare(bench.options.race.turns, alone.readRate, watched.readRate)
    const [watcherKb, idleKb] = [bytesOfEach / 1000, idle.bytesOfEach / 1000]
    const sizes = [watcherKb, idleKb, watcherKb - idleKb].map(short)
    rows.add("", ...sizes, milliseconds(heardMs), whole(second), times(ratio))
    rows.hold("watcherMemory", "", watcherKb - idleKb)
    rows.hold("watchersHear", "", heardMs)
    rows.hold("watchedRead", "", ratio)
    await crowd.end()
    for (const { stop } of [alone, watched]) await stop()
  },
)

async function onNodes(bench: Bench): Promise<Section[]> {
  const engine: Engine = "postgres"
  if (!bench.options.engines.includes(engine)) return []
  bench.say(`  ${nodeCount} nodes`)
  const store = await makeStore(bench, engine)
  const nodes: Served[] = []
  while (nodes.length < nodeCount) nodes.push(await serve(bench, store))
  const crowds: Beside[] = []
  for (const node of nodes) crowds.push((await gather(bench, node, watching(node))).crowd)
  const memory = nodes.map(({ pid }) => residentBytes(pid))
  const heardMs = await untilAllHear(bench, nodes[0] as Served, crowds)
  return [
    {
      title: `${nodeCount} nodes with ${whole(watcherCount(bench))} watchers each`,
      how: `On one PostgreSQL. ${aChange} One node makes the change.`,
      columns: ["", "memory of a node", "until the last heard"],
      rows: [[engineNames[engine], megabytes(Math.max(...memory)), milliseconds(heardMs)]],
      held: [],
    },
  ]
}

function watching({ stocked: { key } }: Served): { request: string; event: string } {
  return { request: requestText({ path: watchPath, headers: bearer(key) }), event: "event: revision" }
}

async function gather(bench: Bench, { port, pid }: Served, what: { request: string; event: string }) {
  const size = watcherCount(bench)
  const before = residentBytes(pid)
  const crowd = await gatherCrowd(bench.cleanup, { port, size, ...what })
  return { crowd, bytesOfEach: (residentBytes(pid) - before) / size }
}

function untilAllHear({ options }: Bench, { change }: Served, crowds: Beside[]): Promise<number> {
  return medianOf(Math.max(options.turns, 5), async () => {
    const began = systemMs()
    const [heardAtMs] = await Promise.all([Promise.all(crowds.map((crowd) => crowd.next<number>())), change()])
    return Math.max(...heardAtMs) - began
  })
}

export const idle = onEachEngine(
  "idle",
  (bench) => ({
    title: `${whole(idleCount(bench))} idle connections`,
    how: "Each was used once and is then kept open. Memory of the process before and after they opened; reads by key over 64 other connections, by turns without and with the idle ones.",
    columns: ["", "memory before", "with them", "kB a connection", "reads/s", "with them", "ratio", "p99", "with them"],
  }),
  async (bench, engine, rows) => {
    const size = idleCount(bench)
    const { port, pid, stocked } = await serveNew(bench, engine)
    const load = () => bench.load({ port, request: readRequest(stocked.key) })
    // Warms the server up.
    await load()
    // Of the first turn: a process keeps the memory that it once had.
    const before = residentBytes(pid)
    let after = 0
    const { without, beside } = await byTurns(Math.min(bench.options.turns, 3), {
      without: load,
      async beside() {
        const crowd = await gatherCrowd(bench.cleanup, {
          port,
          size,
          request: requestText({ path: "/healthz" }),
          event: "HTTP",
        })
        after ||= residentBytes(pid)
        const loaded = await load()
        await crowd.end()
        return loaded
      },
    })
    const rates = [without, beside].map((all) => all.map(({ perSecond }) => perSecond)) as [number[], number[]]
    const p99s = [without, beside].map((all) => median(all.map(({ p99 }) => p99)))
    rows.add(
      "",
      megabytes(before),
      megabytes(after),
      short((after - before) / size / 1000),
      ...rates.map((all) => whole(median(all))),
      times(medianRatio(rates[1], rates[0])),
      ...p99s.map(milliseconds),
    )
  },
)

const instanceCount = 10_000

const instancesHead = {
  title: `${whole(instanceCount)} instances`,
  how: "Each has read once and named itself. Memory of the process before and after that, and reads by one that names itself, over 64 connections: with all of them, and side by side on a server that knows no other.",
  columns: ["", "memory before", "with all of them", "kB each", "reads/s alone", "with all of them", "of alone"],
}

export const instances = onEachEngine("instances", instancesHead, async (bench, engine, rows) => {
  const [alone, crowded] = [await serveNew(bench, engine), await serveNew(bench, engine)]
  const before = residentBytes(crowded.pid)
  for (let n = 0; n < instanceCount; n++) await crowded.ask(namedRead(crowded, `host-${n}`))
  await untilSaved(crowded)
  const after = residentBytes(crowded.pid)

  const { turns, seconds } = bench.options.race
  const rate = (served: Served) => async () =>
    (await bench.load({ port: served.port, request: namedRead(served, "reader"), seconds })).perSecond
  const { first, second, ratio } = await compare(turns, rate(alone), rate(crowded))
  const each = short((after - before) / instanceCount / 1000)
  rows.add("", megabytes(before), megabytes(after), each, whole(first), whole(second), times(ratio))
  rows.hold("instances", "", ratio)
  for (const { stop } of [alone, crowded]) await stop()
})

function namedRead({ stocked: { key } }: Served, label: string): string {
  const named = { "user-agent": "envkeep/0.2.0", [instanceHeaderName]: `${label};1` }
  return requestText({ path: readPath, headers: { ...bearer(key), ...named } })
}

async function untilSaved({ owner, stocked: { collectionId } }: Served): Promise<void> {
  for (;;) {
    const counts = await owner.get<{ running: number }[]>(`/collections/${collectionId}/instances`)
    if (counts[0]?.running === instanceCount) return
    await wait(100)
  }
}
