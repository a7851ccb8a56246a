import { setTimeout as wait } from "node:timers/promises"
import type { Random } from "@envkeep/testing/crash/random.ts"
import type { Client } from "../client.ts"
import { readPath } from "../stock.ts"
import { described } from "../traffic/findings.ts"
import type { Day } from "./day.ts"
import type { StagedEnvironment } from "./stage.ts"

/** A change must show on every node within this time. */
export const freshWithinMs = 1_000
const pauseMs = 200

/** What a reader got last, for reads that only ask whether it is still right. */
interface Holding {
  etag: string
  text: string
  isStale: boolean
}

/** A program that reads with a key through the load balancer, again and again, and checks every answer. */
export async function keepReading(day: Day, environment: StagedEnvironment, random: Random): Promise<number> {
  let held: Holding | undefined
  let slowestMs = 0
  while (day.isOn()) {
    const startedAt = performance.now()
    const isConditional = random.below(2) === 0
    held = await readOnce(day, day.reads, { environment, held: isConditional ? held : undefined })
    slowestMs = Math.max(slowestMs, performance.now() - startedAt)
    await wait(random.below(pauseMs))
  }
  return slowestMs
}

/** One read. What is wrong with its answer is noted. */
export async function readOnce(
  { counts, findings, ledger, timeline }: Day,
  client: Client,
  { environment: { key, at }, held }: { environment: StagedEnvironment; held?: Holding | undefined },
): Promise<Holding | undefined> {
  const headers = { authorization: `Bearer ${key}`, ...(held === undefined ? {} : { "if-none-match": held.etag }) }
  const ask = { path: readPath, headers }
  const startedAt = performance.now()
  counts.reads++
  const reply = await client.ask(ask)
  const isUnchanged = reply.status === 304 && held !== undefined
  if (reply.status !== 200 && !isUnchanged) {
    const ms = Math.round(performance.now() - startedAt)
    findings.note("dayRead", described(ask, reply.status, `${reply.text} after ${ms} ms`))
    return undefined
  }

  const stale = reply.headers["envkeep-stale"]
  if (stale !== undefined) {
    counts.staleReads++
    if (timeline.since("away", startedAt) === undefined) findings.note("dayStale", described(ask, 200, `${stale} s`))
  }
  const text = isUnchanged ? held.text : reply.text
  const staleMs = Number(stale ?? 0) * 1_000
  for (const fault of ledger.faults(at, JSON.parse(text), startedAt - freshWithinMs - staleMs)) {
    findings.note("dayFresh", `${described(ask, reply.status, fault)} (stale: ${stale ?? "no"})`)
  }
  return { etag: reply.headers.etag ?? "", text, isStale: stale !== undefined }
}
