import { setTimeout as wait } from "node:timers/promises"
import { type Held, hold } from "../budgets.ts"
import { median } from "../turns.ts"

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

/** By how many files of one process, and by how many connections, there are more than before. */
export function leaks(before: Leftovers, after: Leftovers): Record<"files" | "connections", number> {
  const grown = after.files.map((count, at) => count - (before.files[at] ?? 0) || 0)
  return { files: Math.max(0, ...grown), connections: after.connections - before.connections }
}

export function judgeLeaks(where: string, before: Leftovers, after: Leftovers): Held[] {
  const { files, connections } = leaks(before, after)
  return [hold("leakedFiles", where, files), hold("leakedConnections", where, connections)]
}

/** The median of the second third of these samples, and of the last. In the first, the process warms up. */
export function thirds(rss: number[]): [second: number, last: number] {
  const third = Math.floor(rss.length / 3)
  return [median(rss.slice(third, 2 * third)), median(rss.slice(2 * third))]
}

/** Garbage collection moves memory by about a tenth. */
export function judgeMemory(where: string, rss: number[]): Held {
  const [second, last] = thirds(rss)
  return hold("trafficMemory", where, (last - 1.1 * second) / 1e6)
}
