import { setTimeout as wait } from "node:timers/promises"
import type { Random } from "@envkeep/testing/crash/random.ts"
import { described } from "../traffic/findings.ts"
import type { Day } from "./day.ts"
import { type Entry, writtenValue } from "./ledger.ts"
import { persist, UnknownOutcome } from "./tries.ts"

const pauseMs = 2_000
const giveUpMs = 60_000

/** Changes one name that no one else changes. A number is tried until it is confirmed. */
export async function keepWriting(
  day: Day,
  { entry, id }: { entry: Entry; id: number },
  random: Random,
): Promise<void> {
  while (day.isOn()) {
    await write(day, entry, () => put(day, entry, id))
    await wait(random.below(pauseMs))
  }
}

/** Tries the next number until it is confirmed. A server that never takes it must not keep the run from ending. */
export async function write(day: Day, entry: Entry, tryOnce: () => Promise<boolean>): Promise<void> {
  entry.attempted++
  const giveUpAt = performance.now() + giveUpMs
  while (!(await tryOnce())) {
    if (performance.now() > giveUpAt) return day.findings.note("dayCall", `${entry.name}: gave up after ${giveUpMs} ms`)
    await wait(200)
  }
  day.ledger.confirm(entry)
}

async function put(day: Day, { name, attempted }: Entry, id: number): Promise<boolean> {
  const body = { name, value: writtenValue(name, attempted) }
  const ask = { method: "PUT", path: `/api/collectionItem/${id}`, headers: { cookie: day.stage.cookie }, body }
  try {
    const { status, text } = await persist(day, ask)
    if (status !== 200) day.findings.note("dayCall", described(ask, status, text))
    return status === 200
  } catch (error) {
    if (error instanceof UnknownOutcome) return false
    throw error
  }
}
