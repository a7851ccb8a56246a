import { setTimeout as wait } from "node:timers/promises"
import { seeded } from "@envkeep/testing/crash/random.ts"
import { openBalancer } from "@envkeep/testing/machine/balancer.ts"
import { MisuseError } from "@envkeep/testing/machine/program.ts"
import type { Bench, Group } from "../bench.ts"
import { clientOf } from "../client.ts"
import { mustRun } from "../product.ts"
import { megabytes, milliseconds, short, whole } from "../report.ts"
import { connectionsTo, freshFolder } from "../store.ts"
import { keepCommanding } from "./command.ts"
import { checkEverywhere, eventsOf } from "./events.ts"
import { Journal } from "./journal.ts"
import { createLedger } from "./ledger.ts"
import { startDatabase, startNodes } from "./nodes.ts"
import { startPeople } from "./people.ts"
import { freshWithinMs, keepReading, keepWriting } from "./programs.ts"
import { type Day, noCounts } from "./shared.ts"
import { prepareStage, revisionsOf } from "./stage.ts"
import { isGone, judgeDay, type Outcome, settled, thirds } from "./verdict.ts"
import { startWatchers } from "./watchers.ts"
import { followWebhooks, startReceiver } from "./webhooks.ts"

const usualMinutes = 60
/** In a shorter run, the events take all of the time. */
const leastMinutes = 2

export const day: Group = {
  name: "day",
  isOnRequest: true,
  async run(bench) {
    const { minutes = usualMinutes } = bench.options
    if (minutes < leastMinutes) throw new MisuseError(`A day takes ${leastMinutes} minutes or more`)
    const lived = await liveOneDay(bench, minutes)
    for (const line of lived.journal.lines()) bench.say(`  ${line}`)
    return [
      {
        title: "A day in an hour",
        how: "Mixed traffic on three nodes with a PostgreSQL standby, which are restarted, backed up, given another root key and failed over in the middle. README.md says how.",
        columns: ["", "figure"],
        rows: figuresOf(lived),
        held: judgeDay(lived),
      },
    ]
  },
}

interface Lived extends Outcome {
  counts: typeof noCounts
  /** How many writes were confirmed. */
  writes: number
  /** What was done to the servers, and how long it took. */
  events: { name: string; seconds: number }[]
}

function figuresOf({ counts, writes, memory, before, after, events, slowestReadMs }: Lived): string[][] {
  const memories = memory.map((rss) => thirds(rss).map(megabytes).join(" and "))
  return [
    ["Reads by key", whole(counts.reads)],
    ["Reads marked stale", whole(counts.staleReads)],
    ["The slowest read", milliseconds(slowestReadMs)],
    ["Confirmed writes", whole(writes)],
    ["Calls of people", whole(counts.personCalls)],
    ["Runs of the command", whole(counts.commandReads + counts.commandWrites)],
    ["Updates that watchers got", whole(counts.watcherUpdates)],
    ["Messages to webhooks, and those that came twice", `${whole(counts.webhookMessages)}, ${counts.repeatedMessages}`],
    ...events.map(({ name, seconds }) => [name, `${short(seconds)} s`]),
    ["Writes without an answer, and refused calls", `${counts.unknownWrites}, ${counts.refusedCalls}`],
    ["Memory of the nodes, second and last third", memories.join(", ")],
    ["Files and sockets of a node, before and after", `${before.files.join(", ")}; ${after.files.join(", ")}`],
    ["Connections to PostgreSQL, before and after", `${before.connections}, ${after.connections}`],
  ]
}

const nodeCount = 3
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
async function liveOneDay({ cleanup, options, say }: Bench, minutes: number): Promise<Lived> {
  const database = await startDatabase(cleanup)
  const nodes = await startNodes(cleanup, database.url, nodeCount)
  const look = async () => ({ files: nodes.files(), connections: await connectionsTo(database.url) })
  const before = await settled(look, ({ connections }) => connections <= restingConnections)

  const balancer = await openBalancer(nodes.ports.map((port) => `http://127.0.0.1:${port}`))
  cleanup.defer(balancer.close)
  const { url } = balancer
  const receiver = await startReceiver(cleanup)
  const ledger = createLedger()
  const stage = await prepareStage(url, ledger, receiver.url)
  const reads = clientOf(url, { timeoutMs: timeouts.readMs })
  const calls = clientOf(url, { timeoutMs: timeouts.callMs })
  const journal = new Journal()
  const counts = { ...noCounts }
  const totalMs = minutes * 60_000
  const began = performance.now()
  let endsAt = Number.POSITIVE_INFINITY
  const day: Day = { url, reads, calls, stage, ledger, journal, counts, isOn: () => performance.now() < endsAt }

  const webhooks = followWebhooks(day, receiver, await revisionsOf(stage))
  const watchers = await startWatchers(day, watcherCount)
  const { seed } = options
  const random = (stream: number) => seeded(seed * 1_000_000 + stream)
  const reading = stage.environments.flatMap((environment, at) =>
    Array.from({ length: readersPerEnvironment }, (_, n) => keepReading(day, environment, random(at * 100 + n))),
  )
  const rules = { read: "dayRead", other: "dayCall" } as const
  const traffic = [
    ...stage.items.map((item, n) => keepWriting(day, item, random(1_000 + n))),
    startPeople(day, { count: 4, seed, pauseMs: 400, heardWithinMs: freshWithinMs, rules }),
    keepCommanding(day, await freshFolder(cleanup)),
    sample(),
  ]
  const events = await runEvents()
  endsAt = Math.max(began + totalMs, performance.now() + restPart * totalMs)
  await Promise.all(traffic)
  const slowestReadMs = Math.max(...(await Promise.all(reading)))

  await watchers.end()
  await webhooks.end(await revisionsOf(stage))
  await wait(freshWithinMs)
  await attempt("the last check", () => checkEverywhere(day, nodes, performance.now() - freshWithinMs))
  for (const check of ["doctor", "verify-audit"]) await attempt(check, () => mustRun(nodes.store(), [check]))
  for (const client of [reads, calls]) client.close()
  balancer.close()
  const after = await settled(look, isGone(before))
  await nodes.stop()
  const { unknownWrites: _, repeatedMessages: __, ...needed } = counts
  const outcome = { journal, needed: { ...needed, writes: ledger.count() }, before, after, slowestReadMs }
  return { ...outcome, memory: nodes.memory(), counts, writes: ledger.count(), events }

  async function runEvents(): Promise<Lived["events"]> {
    const done: Lived["events"] = []
    for (const { part, name, run } of eventsOf(day, { cleanup, database, nodes })) {
      await wait(Math.max(0, began + part * totalMs - performance.now()))
      const from = journal.seconds()
      await attempt(name, run)
      done.push({ name, seconds: journal.seconds() - from })
    }
    return done
  }

  async function attempt(name: string, act: () => Promise<unknown>): Promise<void> {
    await act().catch((error: Error) => journal.note("dayEvent", `${name}: ${error.message}`))
  }

  async function sample(): Promise<void> {
    const everyMs = sampleMs(totalMs)
    for (let n = 1; day.isOn(); n++) {
      await wait(Math.max(0, began + n * everyMs - performance.now()))
      nodes.sampleMemory()
      watchers.check()
      if (n % samplesPerLine !== 0) continue
      const rss = nodes.memory().map((samples) => megabytes(samples.at(-1) ?? 0))
      const counted = Object.entries(counts).map(([kind, count]) => `${kind} ${count}`)
      say(`    ${journal.now()}: ${ledger.count()} writes, ${counted.join(", ")}, broken ${journal.count()}, ${rss}`)
    }
  }
}
