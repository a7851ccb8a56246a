import { setTimeout as wait } from "node:timers/promises"
import type { Random } from "@envkeep/testing/crash/random.ts"
import type { Client } from "../client.ts"
import { bearer, readPath } from "../stock.ts"
import { described } from "./journal.ts"
import { type Entry, writtenValue } from "./ledger.ts"
import { persist, UnknownOutcome } from "./people.ts"
import type { Day } from "./shared.ts"
import type { StagedEnvironment } from "./stage.ts"

/** A change must show on every node within this time. */
export const freshWithinMs = 1_000
const readPauseMs = 200
const writePauseMs = 2_000
const giveUpMs = 60_000

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
    await wait(random.below(readPauseMs))
  }
  return slowestMs
}

/** One read. What is wrong with its answer is noted. */
export async function readOnce(
  { counts, journal, ledger }: Day,
  client: Client,
  { environment: { key, at }, held }: { environment: StagedEnvironment; held?: Holding | undefined },
): Promise<Holding | undefined> {
  const ask = { path: readPath, headers: { ...bearer(key), ...(held && { "if-none-match": held.etag }) } }
  const startedAt = performance.now()
  counts.reads++
  const reply = await client.ask(ask)
  const isUnchanged = reply.status === 304 && held !== undefined
  if (reply.status !== 200 && !isUnchanged) {
    const ms = Math.round(performance.now() - startedAt)
    journal.note("dayRead", described(ask, reply.status, `${reply.text} after ${ms} ms`))
    return undefined
  }

  const stale = reply.headers["envkeep-stale"]
  if (stale !== undefined) {
    counts.staleReads++
    if (journal.since("away", startedAt) === undefined) journal.note("dayStale", described(ask, 200, `${stale} s`))
  }
  const text = isUnchanged ? held.text : reply.text
  const staleMs = Number(stale ?? 0) * 1_000
  for (const fault of ledger.faults(at, JSON.parse(text), startedAt - freshWithinMs - staleMs)) {
    journal.note("dayFresh", `${described(ask, reply.status, fault)} (stale: ${stale ?? "no"})`)
  }
  return { etag: reply.headers.etag ?? "", text, isStale: stale !== undefined }
}

/** Changes one name that no one else changes. */
export async function keepWriting(
  day: Day,
  { entry, id }: { entry: Entry; id: number },
  random: Random,
): Promise<void> {
  while (day.isOn()) {
    await write(day, entry, () => put(day, entry, id))
    await wait(random.below(writePauseMs))
  }
}

/** Tries the next number until it is confirmed. A server that never takes it must not keep the run from ending. */
export async function write(day: Day, entry: Entry, tryOnce: () => Promise<boolean>): Promise<void> {
  entry.attempted++
  const giveUpAt = performance.now() + giveUpMs
  while (!(await tryOnce())) {
    if (performance.now() > giveUpAt) return day.journal.note("dayCall", `${entry.name}: gave up after ${giveUpMs} ms`)
    await wait(200)
  }
  day.ledger.confirm(entry)
}

async function put(day: Day, { name, attempted }: Entry, id: number): Promise<boolean> {
  const body = { name, value: writtenValue(name, attempted) }
  const headers = { cookie: day.stage.owner.cookie }
  const ask = { method: "PUT", path: `/api/collectionItem/${id}`, headers, body }
  try {
    const { status, text } = await persist(day, ask)
    if (status !== 200) day.journal.note("dayCall", described(ask, status, text))
    return status === 200
  } catch (error) {
    if (error instanceof UnknownOutcome) return false
    throw error
  }
}
