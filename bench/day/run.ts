import { randomBytes } from "node:crypto"
import { setTimeout as wait } from "node:timers/promises"
import { openBalancer } from "@envkeep/testing/machine/balancer.ts"
import type { Cleanup } from "../cleanup.ts"
import { createClient } from "../soak/client.ts"
import { createRandom } from "../soak/random.ts"
import { connectionsTo, settled } from "../soak/sample.ts"
import { freshFolder } from "../store-location.ts"
import { keepCommanding } from "./cli.ts"
import { mustRun } from "./commands.ts"
import { startDatabase } from "./database.ts"
import { type Counts, type Day, noCounts } from "./day.ts"
import { checkEverywhere, eventsOf, type Place, storeOf } from "./events.ts"
import { createFindings } from "./findings.ts"
import { createLedger } from "./ledger.ts"
import { startNodes } from "./nodes.ts"
import type { DayOptions } from "./options.ts"
import { startPeople } from "./people.ts"
import { freshWithinMs, keepReading } from "./readers.ts"
import { prepareStage, revisionOf } from "./stage.ts"
import { createTimeline } from "./timeline.ts"
import type { Outcome } from "./verdict.ts"
import { startWatchers } from "./watchers.ts"
import { startReceiver } from "./webhooks.ts"
import { keepWriting } from "./writers.ts"

/** What happened in one interval. */
export interface Interval {
  seconds: number
  during: string
  counts: Counts
  writes: number
  findings: number
  rss: number[]
}

const nodeCount = 3
const people = 4
const readersPerEnvironment = 3
const watcherCount = 12
/** A node keeps the connection on which it listens, and one that its jobs use every few seconds. */
const restingConnections = 2 * nodeCount
/** The client package gives up a read after the first of these. What people do may take as long as a server takes to stop. */
const timeouts = { readMs: 5_000, callMs: 30_000 }
/** How much of the run comes after the last event, however long the events took. */
const restPart = 0.5
/** How often memory is sampled. In a long run, more often would tell nothing more. */
const sampleMs = (totalMs: number) => Math.max(1_000, totalMs / 600)
const samplesPerLine = 10

/** A day of traffic in a short time, while the servers are restarted, backed up, given another key and failed over. */
export async function liveOneDay(
  cleanup: Cleanup,
  { minutes, seed }: DayOptions,
  tell: (interval: Interval) => void,
): Promise<Outcome> {
  const database = await startDatabase(cleanup)
  const rootKey = randomBytes(32).toString("hex")
  const nodes = await startNodes(cleanup, { databaseUrl: database.url, rootKey, count: nodeCount })
  const place: Place = { cleanup, database, nodes, rootKey }
  const look = async () => ({ files: nodes.files(), connections: await connectionsTo(database.url) })
  const before = await settled(look, ({ connections }) => connections <= restingConnections)

  const balancer = await openBalancer(nodes.urls)
  cleanup.later(balancer.close)
  const receiver = await startReceiver(cleanup)
  const ledger = createLedger()
  const stage = await prepareStage(balancer.url, ledger, receiver.url)
  const revisions = () => Promise.all(stage.environments.map((one) => revisionOf(balancer.url, stage, one)))
  const port = Number(new URL(balancer.url).port)
  const reads = createClient(port, { timeoutMs: timeouts.readMs })
  const calls = createClient(port, { timeoutMs: timeouts.callMs })
  const timeline = createTimeline()
  const findings = createFindings(timeline)
  const totalMs = minutes * 60_000
  const began = performance.now()
  let endsAt = Number.POSITIVE_INFINITY
  const isOn = () => performance.now() < endsAt
  const day: Day = { url: balancer.url, reads, calls, stage, ledger, timeline, findings, counts: noCounts(), isOn }
  receiver.begin(day, await revisions())

  const watchers = await startWatchers(day, watcherCount)
  const random = (stream: number) => createRandom(seed * 1_000_000 + stream)
  const reading = stage.environments.flatMap((environment, at) =>
    Array.from({ length: readersPerEnvironment }, (_, n) => keepReading(day, environment, random(at * 100 + n))),
  )
  const traffic = [
    ...stage.items.map((item, n) => keepWriting(day, item, random(1_000 + n))),
    startPeople(day, people, seed),
    keepCommanding(day, await freshFolder({ cleanup })),
    sample(),
  ]
  const events = await runEvents()
  endsAt = Math.max(began + totalMs, performance.now() + restPart * totalMs)
  await Promise.all(traffic)
  const slowestReadMs = Math.max(...(await Promise.all(reading)))

  await watchers.end()
  await receiver.end(await revisions())
  await wait(freshWithinMs)
  await attempt("the last check", () => checkEverywhere(day, nodes, performance.now() - freshWithinMs))
  for (const check of ["doctor", "verify-audit"]) await attempt(check, () => mustRun(storeOf(place), [check]))
  for (const client of [reads, calls]) client.close()
  balancer.close()
  const isSettled = ({ files, connections }: typeof before) =>
    connections <= before.connections && files.every((count, node) => count <= (before.files[node] ?? 0))
  const after = await settled(look, isSettled)
  await nodes.stop()
  return {
    findings: findings.all,
    counts: day.counts,
    writes: ledger.count(),
    memory: nodes.memory(),
    before,
    after,
    events,
    slowestReadMs,
    logged: nodes.logged,
  }

  async function runEvents(): Promise<Outcome["events"]> {
    const done: Outcome["events"] = []
    for (const { part, name, run } of eventsOf(day, place)) {
      await wait(Math.max(0, began + part * totalMs - performance.now()))
      const from = timeline.seconds()
      await attempt(name, run)
      done.push({ name, from, to: timeline.seconds() })
    }
    return done
  }

  async function attempt(name: string, act: () => Promise<unknown>): Promise<void> {
    await act().catch((error: Error) => findings.note("event", `${name}: ${error.message}`))
  }

  async function sample(): Promise<void> {
    const everyMs = sampleMs(totalMs)
    for (let n = 1; isOn(); n++) {
      await wait(Math.max(0, began + n * everyMs - performance.now()))
      nodes.sampleMemory()
      watchers.check()
      if (n % samplesPerLine !== 0) continue
      const rss = nodes.memory().map((samples) => samples.at(-1) ?? Number.NaN)
      const { counts } = day
      tell({
        seconds: timeline.seconds(),
        during: timeline.now(),
        counts: { ...counts },
        writes: ledger.count(),
        findings: findings.all.length,
        rss,
      })
    }
  }
}
