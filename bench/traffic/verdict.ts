import { setTimeout as wait } from "node:timers/promises"
import { dayRules, type Held, hold } from "../budgets.ts"
import { median } from "../turns.ts"
import type { Journal } from "./journal.ts"

/** What servers hold at one moment. */
export interface Leftovers {
  /** Open files and sockets of each process; NaN where the system does not report them. */
  files: number[]
  /** Connections of all of them to the database. */
  connections: number
}

/** Idle database connections close after ten seconds; one that is still open after thirty has leaked. */
export async function settled(
  look: () => Promise<Leftovers>,
  isSettled: (seen: Leftovers) => boolean,
): Promise<Leftovers> {
  for (let seconds = 0; seconds < 30; seconds++) {
    await wait(1_000)
    const seen = await look()
    if (isSettled(seen)) return seen
  }
  return look()
}

/** Whether all that was there is gone again. */
export const isGone = (before: Leftovers) => (after: Leftovers) =>
  judgeLeaks("", before, after).every(({ kept }) => kept)

/** By how many files of one process, and by how many connections, there are more than before. */
function judgeLeaks(where: string, before: Leftovers, after: Leftovers): Held[] {
  const grown = after.files.map((count, at) => count - (before.files[at] ?? 0) || 0)
  return [
    hold("leakedFiles", where, Math.max(0, ...grown)),
    hold("leakedConnections", where, after.connections - before.connections),
  ]
}

/** The median of the second third of these samples, and of the last. In the first, the process warms up. */
export function thirds(rss: number[]): [second: number, last: number] {
  const third = Math.floor(rss.length / 3)
  return [median(rss.slice(third, 2 * third)), median(rss.slice(2 * third))]
}

/** Garbage collection moves memory by about a tenth. */
function judgeMemory(where: string, rss: number[]): Held {
  const [second, last] = thirds(rss)
  return hold("trafficMemory", where, (last - 1.1 * second) / 1e6)
}

/** What a run with traffic found out. */
export interface Outcome {
  journal: Pick<Journal, "count" | "lines">
  /** How much there was of each kind of traffic that must have been there, or the run says nothing. */
  needed: Record<string, number>
  /**
   * The resident bytes of each process, at even intervals: since its last start, because a process that was replaced takes
   * its memory with it, and the new one has to warm up first.
   */
  memory: number[][]
  before: Leftovers
  after: Leftovers
  slowestReadMs: number
}

/** What must hold in any such run. */
function judge(where: string, { needed, before, after }: Outcome): Held[] {
  const absent = Object.keys(needed).filter((kind) => needed[kind] === 0)
  const what = absent.length === 0 ? where : `${where}: ${absent.join(", ")}`
  return [hold("absentTraffic", what, absent.length), ...judgeLeaks(where, before, after)]
}

/** A run of seconds only warms up, and says nothing about memory. */
const leastMinutesForMemory = 1

export function judgeSoak(where: string, minutes: number, outcome: Outcome): Held[] {
  const { journal, memory, slowestReadMs } = outcome
  return [
    hold("failedCalls", where, journal.count("failedCalls")),
    ...judge(where, outcome),
    ...(minutes < leastMinutesForMemory ? [] : memory.map((rss) => judgeMemory(where, rss))),
    hold("probedRead", where, slowestReadMs),
    hold("refusedIdle", where, journal.count("refusedIdle")),
  ]
}

export function judgeDay(outcome: Outcome): Held[] {
  return [
    ...judge("a day", outcome),
    ...dayRules.map((rule) => hold(rule, "a day", outcome.journal.count(rule))),
    ...outcome.memory.map((rss, node) => judgeMemory(`a day, node ${node}`, rss)),
  ]
}
