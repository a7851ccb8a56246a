import { setTimeout as wait } from "node:timers/promises"
import { seeded } from "@envkeep/testing/crash/random.ts"
import type { BudgetName } from "../budgets.ts"
import type { Client, Reply } from "../client.ts"
import type { Request } from "../line.ts"
import { readPath } from "../stock.ts"
import { described, type Journal } from "./journal.ts"
import { owner } from "./owner.ts"

/** What all callers of a run share. */
export interface Site {
  calls: Client
  journal: Journal
  /** Whether the run continues. */
  isOn(): boolean
  counts: { personCalls: number; unknownWrites: number; refusedCalls: number }
}

/** A write may or may not have been carried out. */
export class UnknownOutcome extends Error {
  override name = "UnknownOutcome"
}

const retryPauseMs = 300

/**
 * Makes a call that is not a read by key. What documents allow is tried again, as a client should: 503 while the database is
 * away. A write that got no answer while a node stopped or the database was away throws `UnknownOutcome`.
 */
export async function persist({ calls, journal, counts }: Site, ask: Request): Promise<Reply> {
  for (;;) {
    const from = performance.now()
    const reply = await calls.ask(ask)
    const wasAway = journal.since("away", from) !== undefined
    const wasRestarted = journal.since("restart", from) !== undefined
    const isRead = (ask.method ?? "GET") === "GET"
    const gotNoAnswer = reply.status === 0 || reply.status === 502
    const isUnknown = gotNoAnswer || (reply.status === 503 && reply.text.includes("lost while saving"))
    if (isUnknown && !isRead && (wasAway || (gotNoAnswer && wasRestarted))) {
      counts.unknownWrites++
      throw new UnknownOutcome(described(ask, reply.status, reply.text))
    }
    if (reply.status !== 503 || !wasAway) return reply
    counts.refusedCalls++
    await wait(retryPauseMs)
  }
}

interface Crowd {
  count: number
  seed: number
  /** Up to how long each waits after each thing that they do. */
  pauseMs: number
  /** Another node may not yet have heard of a deleted key. */
  heardWithinMs: number
  /** What a call that fails breaks. */
  rules: { read: BudgetName; other: BudgetName }
}

/**
 * People who make every kind of call. One who does not learn whether a write was carried out would have to look before going
 * on; here, another person takes over.
 */
export async function startPeople(site: Site, crowd: Crowd): Promise<void> {
  let number = 0
  await Promise.all(Array.from({ length: crowd.count }, inTurn))

  async function inTurn(): Promise<void> {
    while (site.isOn()) {
      const own = number++
      try {
        const pauseMs = crowd.pauseMs
        await owner({ call, isOn: site.isOn, pauseMs }, seeded(crowd.seed * 1_000 + own), own)
      } catch (error) {
        if (!(error instanceof UnknownOutcome)) throw error
      }
    }
  }

  async function call(ask: Request, expected: number[] = [200]): Promise<Reply> {
    site.counts.personCalls++
    const isRead = ask.path.startsWith(readPath)
    const began = performance.now()
    for (;;) {
      const from = performance.now()
      const reply = await persist(site, ask)
      if (expected.includes(reply.status)) return reply
      const mayStillRead = isRead && [200, 304].includes(reply.status) && isExcused(reply, from - began)
      if (!mayStillRead) {
        site.journal.note(isRead ? crowd.rules.read : crowd.rules.other, described(ask, reply.status, reply.text))
        return reply
      }
      await wait(50)
    }
  }

  /** A key that was deleted a moment ago, or while the node of this read has no database. */
  function isExcused({ headers }: Reply, sinceMs: number): boolean {
    const isAway = site.journal.since("away", performance.now()) !== undefined
    return sinceMs < crowd.heardWithinMs || (headers["envkeep-stale"] !== undefined && isAway)
  }
}
