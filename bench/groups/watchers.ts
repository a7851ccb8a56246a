import { variables } from "@envkeep/contract"
import { type Bench, type Group, onEachEngine } from "../bench.ts"
import { hold } from "../budgets.ts"
import { type Engine, engineNames } from "../engines.ts"
import { type Crowd, gatherCrowd, systemMs } from "../load/crowd.ts"
import { requestText } from "../load/request.ts"
import { residentBytes } from "../process-figures.ts"
import { megabytes, milliseconds, type Section, short, times, whole } from "../report.ts"
import { makeStore, type Served, serve, serveNew } from "../served.ts"
import { readRequest } from "../stock.ts"
import { compare, medianOf } from "../turns.ts"

const nodeCount = 3
const aChange =
  "Then an item is changed; the time runs from sending that call until the last of them has the event, in the crowd's own process."

/** The short form also runs where a process may open few files. */
const sizeOf = ({ options }: Bench) => (options.quick ? 500 : 10_000)

export const watchers: Group = {
  name: "watchers",
  run: async (bench) => [...(await onOneNode.run(bench)), ...(await onNodes(bench, sizeOf(bench)))],
}

const onOneNode = onEachEngine(
  "watchers of one node",
  (bench) => ({
    title: `${whole(sizeOf(bench))} watchers`,
    how: `Each watches the same environment over its own connection. Memory of the process for each of them, and for each of as many connections that have read once and are idle. ${aChange} Reads by key over 64 connections, side by side with a server without watchers.`,
    columns: ["", "kB each", "idle, kB each", "over idle", "until the last heard", "reads/s", "of one without"],
  }),
  async (bench, engine, section) => {
    const [alone, watched] = [await serveNew(bench, engine), await serveNew(bench, engine)]
    const idle = await gather(bench, alone, { request: readRequest(alone.stocked.key), event: "HTTP" })
    await idle.crowd.leave()
    const { crowd, bytesOfEach } = await gather(bench, watched, watching(watched))
    const heardMs = await untilAllHear(bench, watched, [crowd])
    const { second, ratio } = await compare(bench.options.race.turns, alone.readRate, watched.readRate)
    const overIdleKb = (bytesOfEach - idle.bytesOfEach) / 1000
    section.rows.push([
      engineNames[engine],
      short(bytesOfEach / 1000),
      short(idle.bytesOfEach / 1000),
      short(overIdleKb),
      milliseconds(heardMs),
      whole(second),
      times(ratio),
    ])
    section.held.push(
      hold("watcherMemory", engineNames[engine], overIdleKb),
      hold("watchersHear", engineNames[engine], heardMs),
      hold("watchedRead", engineNames[engine], ratio),
    )
    await crowd.leave()
    for (const { stop } of [alone, watched]) await stop()
  },
)

async function onNodes(bench: Bench, size: number): Promise<Section[]> {
  const engine: Engine = "postgres"
  if (!bench.options.engines.includes(engine)) return []
  bench.say(`  ${nodeCount} nodes`)
  const store = await makeStore(bench, engine)
  const nodes: Served[] = []
  while (nodes.length < nodeCount) nodes.push(await serve(bench, store))
  const crowds: Crowd[] = []
  for (const node of nodes) crowds.push((await gather(bench, node, watching(node))).crowd)
  const memory = nodes.map(({ pid }) => residentBytes(pid))
  const heardMs = await untilAllHear(bench, nodes[0] as Served, crowds)
  for (const crowd of crowds) await crowd.leave()
  return [
    {
      title: `${nodeCount} nodes with ${whole(size)} watchers each`,
      how: `On one PostgreSQL. ${aChange} One node makes the change.`,
      columns: ["", "memory of a node", "until the last heard"],
      rows: [[engineNames[engine], megabytes(Math.max(...memory)), milliseconds(heardMs)]],
      held: [],
    },
  ]
}

function watching({ stocked: { key } }: Served): { request: string; event: string } {
  const path = `/api${variables.watch.path}`
  return { request: requestText({ path, headers: { authorization: `Bearer ${key}` } }), event: "event: revision" }
}

async function gather(
  bench: Bench,
  { port, pid }: Served,
  what: { request: string; event: string },
): Promise<{ crowd: Crowd; bytesOfEach: number }> {
  const size = sizeOf(bench)
  const before = residentBytes(pid)
  const crowd = await gatherCrowd(bench.cleanup, { port, size, ...what })
  return { crowd, bytesOfEach: (residentBytes(pid) - before) / size }
}

function untilAllHear({ options }: Bench, { change }: Served, crowds: Crowd[]): Promise<number> {
  return medianOf(Math.max(options.turns, 5), async () => {
    const began = systemMs()
    const [heardAtMs] = await Promise.all([Promise.all(crowds.map((crowd) => crowd.allHear())), change()])
    return Math.max(...heardAtMs) - began
  })
}
