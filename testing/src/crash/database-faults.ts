import { setTimeout as sleep } from "node:timers/promises"
import { sentences } from "@envkeep/contract"
import type { OwnPostgres } from "../machine/postgres.ts"
import { waitTimeoutMs } from "../time-limits.ts"
import type { Target } from "./clients.ts"
import { seeded } from "./random.ts"
import { checkAll, type Run, startLoad } from "./rounds.ts"
import { spawnServer } from "./server.ts"
import { createWorkload, type Workload } from "./workload.ts"

export const databaseFaults = ["SIGKILL", "SIGQUIT", "freeze"] as const
export type DatabaseFault = (typeof databaseFaults)[number]

/**
 * Kills or freezes PostgreSQL under load and restarts it, while the server keeps running. During the outage reads by key
 * go on and say that they are stale, and writes are refused. Afterwards no acknowledged write is missing.
 */
export async function databaseRounds(
  { location, rounds, seed, report }: Run,
  postgres: OwnPostgres,
  faultsToMake: readonly DatabaseFault[] = databaseFaults,
): Promise<string[]> {
  const random = seeded(seed)
  const server = spawnServer(location, random.pick([1, 2]))
  try {
    const target: Target = { url: await server.listening }
    const workload = await createWorkload(target)
    await checkAll(workload)
    for (let round = 1; round <= rounds; round++) {
      const fault = faultsToMake[(round - 1) % faultsToMake.length] ?? "SIGKILL"
      await warmUp(workload)
      const load = startLoad(workload, random)
      await load.untilRandomMoment()
      if (fault === "freeze") postgres.freeze()
      else await postgres.kill(fault)
      const during = await duringOutage(workload)
      const { steps, faults } = await load.end()
      if (fault === "freeze") postgres.thaw()
      else await postgres.restart()
      const restoredAt = performance.now()
      await untilRecovered(workload)
      const recoveryMs = Math.round(performance.now() - restoredAt)
      faults.push(...during, ...(await checkAll(workload)))
      const outcome = faults.length === 0 ? "nothing lost" : "FAULTS"
      report(
        `round ${round}: ${steps} writes, then ${fault} of the database; recovered after ${recoveryMs} ms; ${outcome}`,
      )
      if (faults.length > 0) return faults.map((one) => `round ${round}, ${fault} of the database: ${one}`)
    }
    return []
  } finally {
    await server.kill("all")
  }
}

/** Fills the cache of every process; with several processes, each has its own. */
async function warmUp({ readKeys }: Workload): Promise<void> {
  for (let n = 0; n < 10; n++) await readKeys()
}

/** Reads must succeed all the time. Within seconds they must say that they are stale, and writes must be refused. */
async function duringOutage({ readKeys, tryToWrite }: Workload): Promise<string[]> {
  const faults = new Set<string>()
  let staleReads = 0
  const timeout = AbortSignal.timeout(waitTimeoutMs)
  while (staleReads < 20 && !timeout.aborted) {
    for (const { status, stale } of await readKeys()) {
      if (status !== 200) faults.add(`a read by key was answered ${status}`)
      else if (stale !== null) staleReads++
    }
  }
  if (staleReads < 20) faults.add("reads during the outage do not say that they are stale")
  const { status, msg } = await tryToWrite()
  if (status !== 503 || msg !== sentences.databaseAway) faults.add(`a write was answered ${status}: ${msg}`)
  return [...faults]
}

async function untilRecovered({ readKeys, tryToWrite }: Workload): Promise<void> {
  for (const timeout = AbortSignal.timeout(waitTimeoutMs); ; await sleep(20)) {
    const reads = await readKeys()
    const { status, msg } = await tryToWrite()
    if (status === 200 && reads.every((read) => read.status === 200 && read.stale === null)) return
    if (timeout.aborted) throw new Error(`not recovered 30 seconds after the database was back: ${status} ${msg}`)
  }
}
