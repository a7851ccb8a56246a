import { setTimeout as wait } from "node:timers/promises"
import { type Bench, onEachEngine } from "../bench.ts"
import { attacks } from "../beside/attacks.ts"
import { clientOf } from "../client.ts"
import { prepareTarget, startAttack } from "../groups/attacks.ts"
import { gatherCrowd } from "../groups/connections.ts"
import { openLine, requestText } from "../line.ts"
import { openFiles, residentBytes } from "../machine.ts"
import { type Engine, engineNames } from "../options.ts"
import { megabytes, milliseconds, short, whole } from "../report.ts"
import { makeStore, serve } from "../served.ts"
import { readRequest } from "../stock.ts"
import { connectionsTo } from "../store.ts"
import { keepTiming, median } from "../turns.ts"
import { Journal } from "./journal.ts"
import { type Site, startPeople } from "./people.ts"
import { isGone, judgeSoak, type Outcome, settled, thirds } from "./verdict.ts"

/** If it is named. In the whole run it is short, and without idle connections, which have a group of their own. */
const usual = { minutes: 10, idle: 5_000 }

const soakHead = {
  title: "Mixed traffic",
  how: "Eight users make every kind of call, next to ninety connections that are slow, silent or never read. Memory is the median of the second and of the last third; files and sockets are counted before and after; a probe reports the slowest read. In the whole run this is too short to judge memory by: `npm run bench -- soak` takes ten minutes.",
  columns: ["", "calls", "failed", "memory", "later", "files", "later", "slowest read"],
}

export const soak = onEachEngine("soak", soakHead, async (bench, engine, rows) => {
  const { only, quick, ...options } = bench.options
  const size = only.includes("soak") ? usual : { minutes: quick ? 0.1 : 0.2, idle: 0 }
  const [minutes, idle] = [options.minutes ?? size.minutes, options.idle ?? size.idle]
  const outcome = await runSoak(bench, engine, { minutes, idle })
  const { journal, memory, needed, before, after, slowestReadMs } = outcome
  for (const line of journal.lines()) bench.say(`    ${line}`)
  rows.add(
    "",
    whole(needed["calls"] ?? 0),
    whole(journal.count("failedCalls")),
    ...thirds(memory[0] ?? []).map(megabytes),
    String(before.files[0]),
    String(after.files[0]),
    milliseconds(slowestReadMs),
  )
  rows.judge(judgeSoak(engineNames[engine], minutes, outcome))
})

const intervals = 60
/** As parts of the run: when the idle connections open and close, both within the first third. */
const [idleFrom, idleUntil] = [0.08, 0.3]
const probeIntervalMs = 20
const attackMs = 2_000
/** Long enough that the next attack finds a server at rest. */
const restMs = 6_000

/** Mixed traffic against the product in its own process, next to clients that misbehave. */
async function runSoak(bench: Bench, engine: Engine, size: { minutes: number; idle: number }): Promise<Outcome> {
  const env = { ENVKEEP_TRUST_PROXY: "1" }
  const store = await makeStore(bench, engine, { variables: 200 })
  const maker = await serve(bench, store, { env })
  const prepared = await prepareTarget(maker)
  await maker.stop()
  const served = await serve(bench, store, { env })
  const target = { ...prepared, port: served.port }
  const look = async () => ({
    files: [openFiles(served.pid)],
    connections: await connectionsTo(store.location.databaseUrl),
  })
  // On PostgreSQL, a node always keeps the connection on which it listens.
  const before = await settled(look, ({ connections }) => connections <= 1)

  const began = performance.now()
  const totalMs = size.minutes * 60_000
  const until = (part: number) => wait(Math.max(0, began + part * totalMs - performance.now()))
  const isOn = () => performance.now() - began < totalMs
  const journal = new Journal()
  const counts = { personCalls: 0, unknownWrites: 0, refusedCalls: 0 }
  const site: Site = { calls: clientOf(served.url), journal, counts, isOn }
  const rules = { read: "failedCalls", other: "failedCalls" } as const
  const people = startPeople(site, { count: 8, seed: bench.options.seed, pauseMs: 20, heardWithinMs: 0, rules })
  const endSlowClients = await startAttack(bench.cleanup, "slow clients", target)
  const others = [attackInTurns(), holdIdle()]
  const line = await openLine(served.port)
  const probe = keepTiming(() => line.ask(readRequest(store.stocked.key), 200), probeIntervalMs)

  const rss: number[] = []
  let slowestReadMs = 0
  for (let n = 1; n <= intervals; n++) {
    await until(n / intervals)
    const readMs = probe.take()
    rss.push(residentBytes(served.pid))
    slowestReadMs = Math.max(slowestReadMs, ...readMs)
    const { files, connections } = await look()
    const reads = readMs.length === 0 ? "none" : `${short(median(readMs))}, slowest ${short(Math.max(...readMs))} ms`
    bench.say(
      `    ${counts.personCalls} calls, ${journal.count()} failed, ${megabytes(rss.at(-1) ?? 0)}, ${files} files, ${connections} connections, reads ${reads}`,
    )
  }
  await Promise.all([people, ...others])
  await endSlowClients()
  await probe.stop()
  line.close()
  site.calls.close()
  const after = await settled(look, isGone(before))
  await served.stop()
  return { journal, needed: { calls: counts.personCalls }, memory: [rss], before, after, slowestReadMs }

  /** One caller that does its worst again and again, each time in another way. */
  async function attackInTurns(): Promise<void> {
    const names = Object.keys(attacks)
    for (let turn = 0; isOn(); turn++) {
      const end = await startAttack(bench.cleanup, names[turn % names.length] ?? "", target)
      await wait(attackMs)
      await end()
      await wait(restMs)
    }
  }

  async function holdIdle(): Promise<void> {
    await until(idleFrom)
    if (size.idle === 0) return
    const request = requestText({ path: "/healthz" })
    try {
      const crowd = await gatherCrowd(bench.cleanup, { port: served.port, size: size.idle, request, event: "HTTP" })
      await until(idleUntil)
      await crowd.end()
    } catch (error) {
      journal.note("refusedIdle", (error as Error).message)
    }
  }
}
