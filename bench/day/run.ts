import { setTimeout as wait } from "node:timers/promises"
import { seeded } from "@envkeep/testing/crash/random.ts"
import { openBalancer } from "@envkeep/testing/machine/balancer.ts"
import type { Bench } from "../bench.ts"
import { clientOf } from "../client.ts"
import { mustRun } from "../program.ts"
import { connectionsTo, freshFolder } from "../store.ts"
import { Findings } from "../traffic/findings.ts"
import { judgeLeaks, settled } from "../traffic/leftovers.ts"
import { keepCommanding } from "./command.ts"
import { type Day, noCounts } from "./day.ts"
import { checkEverywhere, eventsOf } from "./events.ts"
import { createLedger } from "./ledger.ts"
import { Nodes, startDatabase } from "./nodes.ts"
import { startPeople } from "./people.ts"
import { freshWithinMs, keepReading } from "./readers.ts"
import { prepareStage, revisionsOf } from "./stage.ts"
import { Timeline } from "./timeline.ts"
import type { Outcome } from "./verdict.ts"
import { startWatchers } from "./watchers.ts"
import { followWebhooks, startReceiver } from "./webhooks.ts"
import { keepWriting } from "./writers.ts"

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
export async function liveOneDay({ cleanup, options, say }: Bench, minutes: number): Promise<Outcome> {
  const database = await startDatabase(cleanup)
  const nodes = await Nodes.start(cleanup, database.url, nodeCount)
  const look = async () => ({
    files: nodes.files,
    connections: await connectionsTo({ databaseUrl: database.url }),
  })
  const before = await settled(look, ({ connections }) => connections <= restingConnections)

  const balancer = await openBalancer(nodes.ports.map((port) => `http://127.0.0.1:${port}`))
  cleanup.later(balancer.close)
  const { url } = balancer
  const receiver = await startReceiver(cleanup)
  const ledger = createLedger()
  const stage = await prepareStage(url, ledger, receiver.url)
  const reads = clientOf(url, { timeoutMs: timeouts.readMs })
  const calls = clientOf(url, { timeoutMs: timeouts.callMs })
  const timeline = new Timeline()
  const findings = new Findings(() => ({ seconds: timeline.seconds(), during: timeline.now() }))
  const totalMs = minutes * 60_000
  const began = performance.now()
  let endsAt = Number.POSITIVE_INFINITY
  const isOn = () => performance.now() < endsAt
  const day: Day = { url, reads, calls, stage, ledger, timeline, findings, counts: noCounts(), isOn }

  const webhooks = followWebhooks(day, receiver, await revisionsOf(url, stage))
  const watchers = await startWatchers(day, watcherCount)
  const random = (stream: number) => seeded(options.seed * 1_000_000 + stream)
  const reading = stage.environments.flatMap((environment, at) =>
    Array.from({ length: readersPerEnvironment }, (_, n) => keepReading(day, environment, random(at * 100 + n))),
  )
  const traffic = [
    ...stage.items.map((item, n) => keepWriting(day, item, random(1_000 + n))),
    startPeople(day, people, options.seed),
    keepCommanding(day, await freshFolder({ cleanup })),
    sample(),
  ]
  const events = await runEvents()
  endsAt = Math.max(began + totalMs, performance.now() + restPart * totalMs)
  await Promise.all(traffic)
  const slowestReadMs = Math.max(...(await Promise.all(reading)))

  await watchers.end()
  await webhooks.end(await revisionsOf(url, stage))
  await wait(freshWithinMs)
  await attempt("the last check", () => checkEverywhere(day, nodes, performance.now() - freshWithinMs))
  for (const check of ["doctor", "verify-audit"]) await attempt(check, () => mustRun(nodes, [check]))
  for (const client of [reads, calls]) client.close()
  balancer.close()
  const after = await settled(look, (seen) => judgeLeaks("", before, seen).every(({ kept }) => kept))
  await nodes.stop()
  const { memory, logged } = nodes
  const { counts } = day
  return { findings, counts, writes: ledger.count(), memory, before, after, events, slowestReadMs, logged }

  async function runEvents(): Promise<Outcome["events"]> {
    const done: Outcome["events"] = []
    for (const { part, name, run } of eventsOf(day, { cleanup, database, nodes })) {
      await wait(Math.max(0, began + part * totalMs - performance.now()))
      const from = timeline.seconds()
      await attempt(name, run)
      done.push({ name, seconds: timeline.seconds() - from })
    }
    return done
  }

  async function attempt(name: string, act: () => Promise<unknown>): Promise<void> {
    await act().catch((error: Error) => findings.note("dayEvent", `${name}: ${error.message}`))
  }

  async function sample(): Promise<void> {
    const everyMs = sampleMs(totalMs)
    for (let n = 1; isOn(); n++) {
      await wait(Math.max(0, began + n * everyMs - performance.now()))
      nodes.sampleMemory()
      watchers.check()
      if (n % samplesPerLine !== 0) continue
      const rss = nodes.memory.map((samples) => ((samples.at(-1) ?? 0) / 1e6).toFixed(0))
      const counted = Object.entries(day.counts).map(([kind, count]) => `${kind} ${count}`)
      say(
        `    ${timeline.now()}: ${ledger.count()} writes, ${counted.join(", ")}, broken ${findings.count()}, ${rss} MB`,
      )
    }
  }
}
