import { setTimeout as wait } from "node:timers/promises"
import { seeded } from "@envkeep/testing/crash/random.ts"
import { attacks } from "../attacks/attacks.ts"
import { slowClients } from "../attacks/slow-clients.ts"
import { prepareTarget, startAttack } from "../attacks/target.ts"
import type { Bench } from "../bench.ts"
import { type Held, hold } from "../budgets.ts"
import { clientOf, type Reply } from "../client.ts"
import { type Engine, engineNames } from "../engines.ts"
import { gatherCrowd } from "../load/crowd.ts"
import { keepTiming } from "../load/keep-timing.ts"
import { openLine } from "../load/line.ts"
import { type Request, requestText } from "../load/request.ts"
import { openFiles, residentBytes } from "../process-figures.ts"
import { megabytes, short } from "../report.ts"
import { makeStore, serve } from "../served.ts"
import { readRequest } from "../stock.ts"
import { connectionsTo } from "../store.ts"
import { median } from "../turns.ts"
import { described, Findings } from "./findings.ts"
import { judgeLeaks, judgeMemory, type Leftovers, settled } from "./leftovers.ts"
import { owner } from "./owner.ts"

export interface Soaked {
  minutes: number
  /** Resident bytes over the whole run, at even intervals. */
  rss: number[]
  calls: number
  findings: Findings
  before: Leftovers
  after: Leftovers
  slowestReadMs: number
}

const owners = 8
const intervals = 60
/** As parts of the run: when the idle connections open and close, both within the first third. */
const [idleFrom, idleUntil] = [0.08, 0.3]
const probeIntervalMs = 20
const attackMs = 2_000
/** Long enough that the next attack finds a server at rest. */
const restMs = 6_000

/** Mixed traffic against the product in its own process, next to clients that misbehave. */
export async function runSoak(
  bench: Bench,
  engine: Engine,
  { minutes, idle }: { minutes: number; idle: number },
): Promise<Soaked> {
  const env = { ENVKEEP_TRUST_PROXY: "1" }
  const store = await makeStore(bench, engine, { variables: 200 })
  const maker = await serve(bench, store, { env })
  const prepared = await prepareTarget(maker)
  await maker.stop()
  const served = await serve(bench, store, { env })
  const target = { ...prepared, port: served.port }
  const look = async () => ({ files: [openFiles(served.pid)], connections: await connectionsTo(store.location) })
  // On PostgreSQL, a node always keeps the connection on which it listens.
  const before = await settled(look, ({ connections }) => connections <= 1)

  const began = performance.now()
  const totalMs = minutes * 60_000
  const until = (part: number) => wait(Math.max(0, began + part * totalMs - performance.now()))
  const isOn = () => performance.now() - began < totalMs
  const findings = new Findings(() => ({ seconds: (performance.now() - began) / 1000, during: engineNames[engine] }))
  const client = clientOf(served.url)
  let calls = 0
  const traffic = Array.from({ length: owners }, (_, n) =>
    owner({ call, isOn, pauseMs: 20 }, seeded(bench.options.seed * 1_000 + n), n),
  )
  const endSlowClients = await startAttack(bench.cleanup, slowClients.name, target)
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
      `    ${calls} calls, ${findings.count()} failed, ${megabytes(rss.at(-1) ?? 0)}, ${files} files, ${connections} connections, reads ${reads}`,
    )
  }
  await Promise.all([...traffic, ...others])
  await endSlowClients()
  await probe.stop()
  line.close()
  client.close()
  const after = await settled(look, (seen) => judgeLeaks("", before, seen).every(({ kept }) => kept))
  await served.stop()
  return { minutes, rss, calls, findings, before, after, slowestReadMs }

  /** Notes any status that is not expected. */
  async function call(ask: Request, expected: number[] = [200]): Promise<Reply> {
    calls++
    const reply = await client.ask(ask)
    if (!expected.includes(reply.status)) findings.note("failedCalls", described(ask, reply.status, reply.text))
    return reply
  }

  /** One caller that does its worst again and again, each time in another way. */
  async function attackInTurns(): Promise<void> {
    for (let turn = 0; isOn(); turn++) {
      const end = await startAttack(bench.cleanup, attacks[turn % attacks.length]?.name ?? "", target)
      await wait(attackMs)
      await end()
      await wait(restMs)
    }
  }

  async function holdIdle(): Promise<void> {
    await until(idleFrom)
    if (idle === 0) return
    const crowd = { port: served.port, size: idle, request: requestText({ path: "/healthz" }), event: "HTTP" }
    try {
      const { leave } = await gatherCrowd(bench.cleanup, crowd)
      await until(idleUntil)
      await leave()
    } catch (error) {
      findings.note("refusedIdle", (error as Error).message)
    }
  }
}

/** A run of seconds only warms up, and says nothing about memory. */
const leastMinutesForMemory = 1

export function judgeSoak(where: string, soaked: Soaked): Held[] {
  const { minutes, rss, calls, findings, before, after, slowestReadMs } = soaked
  return [
    hold("failedCalls", where, findings.count("failedCalls")),
    hold("absentTraffic", where, calls === 0 ? 1 : 0),
    ...(minutes < leastMinutesForMemory ? [] : [judgeMemory(where, rss)]),
    ...judgeLeaks(where, before, after),
    hold("probedRead", where, slowestReadMs),
    hold("refusedIdle", where, findings.count("refusedIdle")),
  ]
}
