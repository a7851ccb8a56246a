import { setTimeout as wait } from "node:timers/promises"
import type { Reply } from "../client.ts"
import type { Request } from "../load/request.ts"
import { described } from "../traffic/findings.ts"
import type { Day } from "./day.ts"

/** A write may or may not have been carried out. */
export class UnknownOutcome extends Error {
  override name = "UnknownOutcome"
}

const pauseMs = 300

/**
 * Makes a call that is not a read by key. What documents allow is tried again, as a client should: 503 while the database is
 * away. A write that got no answer while a node stopped or the database was away throws `UnknownOutcome`.
 */
export async function persist({ calls, timeline, counts }: Day, ask: Request): Promise<Reply> {
  for (;;) {
    const from = performance.now()
    const reply = await calls.ask(ask)
    const wasAway = timeline.since("away", from) !== undefined
    const wasRestarted = timeline.since("restart", from) !== undefined
    const isRead = (ask.method ?? "GET") === "GET"
    const gotNoAnswer = reply.status === 0 || reply.status === 502
    const isUnknown = gotNoAnswer || (reply.status === 503 && reply.text.includes("lost while saving"))
    if (isUnknown && !isRead && (wasAway || (gotNoAnswer && wasRestarted))) {
      counts.unknownWrites++
      throw new UnknownOutcome(described(ask, reply.status, reply.text))
    }
    if (reply.status !== 503 || !wasAway) return reply
    counts.refusedCalls++
    await wait(pauseMs)
  }
}
