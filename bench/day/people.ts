import { setTimeout as wait } from "node:timers/promises"
import type { Ask, Reply } from "../soak/client.ts"
import { owner } from "../soak/owner.ts"
import { createRandom } from "../soak/random.ts"
import { readPath } from "../stock.ts"
import type { Day } from "./day.ts"
import { described } from "./findings.ts"
import { persist, UnknownOutcome } from "./tries.ts"

const pauseMs = 400
/** Another node may not yet have heard of a deleted key. */
const heardWithinMs = 1_000

/**
 * People who make every kind of call through the load balancer. One who does not learn whether a write was carried out would
 * have to look before going on; here, another person takes over.
 */
export async function startPeople(day: Day, count: number, seed: number): Promise<void> {
  let number = 0
  await Promise.all(Array.from({ length: count }, inTurn))

  async function inTurn(): Promise<void> {
    while (day.isOn()) {
      const own = number++
      try {
        const site = { call: (ask: Ask, expected?: number[]) => call(day, ask, expected), isOn: day.isOn, pauseMs }
        await owner(site, createRandom(seed * 1_000 + own), own)
      } catch (error) {
        if (!(error instanceof UnknownOutcome)) throw error
      }
    }
  }
}

async function call(day: Day, ask: Ask, expected: number[] = [200]): Promise<Reply> {
  day.counts.personCalls++
  const began = performance.now()
  for (;;) {
    const from = performance.now()
    const reply = await persist(day, ask)
    if (expected.includes(reply.status)) return reply
    if (!mayStillRead(day, ask, reply, from - began)) {
      day.findings.note(ask.path.startsWith(readPath) ? "read" : "call", described(ask, reply.status, reply.text))
      return reply
    }
    await wait(50)
  }
}

/** A key that was deleted a moment ago, or while the node of this read has no database. */
function mayStillRead({ timeline }: Day, { path }: Ask, { status, headers }: Reply, sinceMs: number): boolean {
  if (!path.startsWith(readPath) || (status !== 200 && status !== 304)) return false
  const now = performance.now()
  return sinceMs <= heardWithinMs || (headers["envkeep-stale"] !== undefined && timeline.overlaps("away", now, now))
}
