import { setTimeout as sleep } from "node:timers/promises"
import { sentences } from "@envkeep/contract"
import type { OwnPostgres } from "../machine/postgres.ts"
import type { Target } from "./calls.ts"
import { type Cast, makeCast } from "./cast.ts"
import { seeded } from "./random.ts"
import { beginLoad, checkAll, type Run } from "./rounds.ts"
import { spawnServer } from "./server.ts"

export const databaseFaults = ["SIGKILL", "SIGQUIT", "freeze"] as const
export type DatabaseFault = (typeof databaseFaults)[number]

/**
 * Kills or freezes PostgreSQL under load and brings it back, while the server runs on. Reads by key go on meanwhile and say
 * that they are stale, writes are refused, and afterwards everything acknowledged is there.
 */
export async function databaseRounds(
  { location, rounds, seed, tell }: Run,
  postgres: OwnPostgres,
  faultsToMake: readonly DatabaseFault[] = databaseFaults,
): Promise<string[]> {
  const random = seeded(seed)
  const server = spawnServer(location, random.pick([1, 2]))
  try {
    const target: Target = { url: await server.listening }
    const cast = await makeCast(target)
    await checkAll(cast)
    for (let round = 1; round <= rounds; round++) {
      const fault = faultsToMake[(round - 1) % faultsToMake.length] ?? "SIGKILL"
      await warmUp(cast)
      const load = beginLoad(cast, random)
      await load.untilRandom()
      if (fault === "freeze") postgres.freeze()
      else await postgres.kill(fault)
      const during = await duringOutage(cast)
      const { steps, faults } = await load.end()
      if (fault === "freeze") postgres.thaw()
      else await postgres.restart()
      const backAt = performance.now()
      await untilHealed(cast)
      const healed = Math.round(performance.now() - backAt)
      faults.push(...during, ...(await checkAll(cast)))
      const outcome = faults.length === 0 ? "all there" : "FAULTS"
      tell(`round ${round}: ${steps} writes, then ${fault} of the database; healed after ${healed} ms; ${outcome}`)
      if (faults.length > 0) return faults.map((one) => `round ${round}, ${fault} of the database: ${one}`)
    }
    return []
  } finally {
    await server.kill("all")
  }
}

/** With several processes, each has a memory of its own. */
async function warmUp({ readKeys }: Cast): Promise<void> {
  for (let n = 0; n < 10; n++) await readKeys()
}

/** Reads go on from the first moment; within seconds they say that they are stale, and writes are refused. */
async function duringOutage({ readKeys, tryToWrite }: Cast): Promise<string[]> {
  const faults = new Set<string>()
  let staleReads = 0
  const givenUp = AbortSignal.timeout(30_000)
  while (staleReads < 20 && !givenUp.aborted) {
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

async function untilHealed({ readKeys, tryToWrite }: Cast): Promise<void> {
  for (const givenUp = AbortSignal.timeout(30_000); ; await sleep(20)) {
    const reads = await readKeys()
    const { status, msg } = await tryToWrite()
    if (status === 200 && reads.every((read) => read.status === 200 && read.stale === null)) return
    if (givenUp.aborted) throw new Error(`not healed 30 seconds after the database was back: ${status} ${msg}`)
  }
}
