import { setTimeout as wait } from "node:timers/promises"
import type { Ask, Reply } from "../soak/client.ts"
import type { Day } from "./day.ts"
import { described } from "./findings.ts"

/** A write may or may not have been carried out. */
export class UnknownOutcome extends Error {
  override name = "UnknownOutcome"
}

const pauseMs = 300

/**
 * Makes a call that is not a read by key. What documents allow is tried again, as a client should: 503 while the database is
 * away. A write that got no answer while a node stopped or the database was away throws `UnknownOutcome`.
 */
export async function persist(day: Day, ask: Ask): Promise<Reply> {
  for (;;) {
    const from = performance.now()
    const reply = await once(day, ask)
    const to = performance.now()
    const wasAway = day.timeline.overlaps("away", from, to)
    const isRead = (ask.method ?? "GET") === "GET"
    const gotNoAnswer = reply.status === 0 || reply.status === 502
    const isUnknown = gotNoAnswer || (reply.status === 503 && reply.text.includes("lost while saving"))
    if (isUnknown && !isRead && (wasAway || (gotNoAnswer && day.timeline.overlaps("restart", from, to)))) {
      day.counts.unknownWrites++
      throw new UnknownOutcome(described(ask, reply.status, reply.text))
    }
    if (reply.status !== 503 || !wasAway) return reply
    day.counts.refusedCalls++
    await wait(pauseMs)
  }
}

/** A call that got no answer has the status 0. */
async function once({ calls }: Day, ask: Ask): Promise<Reply> {
  try {
    return await calls.ask(ask)
  } catch (error) {
    return { status: 0, headers: {}, text: (error as Error).message, data: undefined }
  }
}
