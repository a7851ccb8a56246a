import { setTimeout as wait } from "node:timers/promises"
import { seeded } from "@envkeep/testing/crash/random.ts"
import type { Reply } from "../client.ts"
import type { Request } from "../load/request.ts"
import { readPath } from "../stock.ts"
import { described } from "../traffic/findings.ts"
import { owner } from "../traffic/owner.ts"
import type { Day } from "./day.ts"
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
        const site = { call: (ask: Request, expected?: number[]) => call(day, ask, expected), isOn: day.isOn, pauseMs }
        await owner(site, seeded(seed * 1_000 + own), own)
      } catch (error) {
        if (!(error instanceof UnknownOutcome)) throw error
      }
    }
  }
}

async function call(day: Day, ask: Request, expected: number[] = [200]): Promise<Reply> {
  day.counts.personCalls++
  const isRead = ask.path.startsWith(readPath)
  const began = performance.now()
  for (;;) {
    const from = performance.now()
    const reply = await persist(day, ask)
    if (expected.includes(reply.status)) return reply
    const mayStillRead = isRead && [200, 304].includes(reply.status) && isExcused(day, reply, from - began)
    if (!mayStillRead) {
      day.findings.note(isRead ? "dayRead" : "dayCall", described(ask, reply.status, reply.text))
      return reply
    }
    await wait(50)
  }
}

/** A key that was deleted a moment ago, or while the node of this read has no database. */
function isExcused({ timeline }: Day, { headers }: Reply, sinceMs: number): boolean {
  const isAway = timeline.since("away", performance.now()) !== undefined
  return sinceMs <= heardWithinMs || (headers["envkeep-stale"] !== undefined && isAway)
}
