import { setTimeout as sleep } from "node:timers/promises"
import type { StoreLocation } from "../database.ts"
import type { Target } from "./clients.ts"
import { type Random, seeded } from "./random.ts"
import { type Server, spawnServer } from "./server.ts"
import { createWorkload, type Workload } from "./workload.ts"

export interface Run {
  location: StoreLocation
  rounds: number
  seed: number
  report(line: string): void
}

/**
 * Kills the server at a random moment under mixed writes, restarts it without any repair, and compares what was
 * acknowledged with what the store contains; repeatedly on the same store. Returns the faults of the first round with any.
 */
export async function crashRounds({ location, rounds, seed, report }: Run): Promise<string[]> {
  const random = seeded(seed)
  await killWhileStarting(location, random)
  const target: Target = { url: "" }
  let server = spawnServer(location, 1)
  try {
    target.url = await server.listening
    const workload = await createWorkload(target)
    for (let round = 1; round <= rounds; round++) {
      const workers = random.pick([1, 1, 2])
      const { steps, faults } = await oneRound(workload, server, random)
      if (random.chance(0.2)) await killWhileStarting(location, random)
      server = spawnServer(location, workers)
      target.url = await server.listening
      faults.push(...(await checkAll(workload)))
      report(`round ${round}: ${steps} writes, then killed; ${faults.length === 0 ? "nothing lost" : "FAULTS"}`)
      if (faults.length > 0) return faults.map((fault) => `round ${round}: ${fault}`)
    }
    return []
  } finally {
    await server.kill("all")
  }
}

async function oneRound(workload: Workload, server: Server, random: Random) {
  const load = startLoad(workload, random)
  await load.untilRandomMoment()
  await server.kill(random.pick(["all", "all", "first"]))
  return load.end()
}

export interface Load {
  /** Waits for a random moment, measured in writes, since not all machines are equally fast. */
  untilRandomMoment(): Promise<void>
  /** Stops all writers, and waits for their last write. */
  end(): Promise<{ steps: number; faults: string[] }>
}

/** All writers write, and a reader reads, until `end` is called or an answer is missing. */
export function startLoad({ writers, readUntil }: Workload, random: Random): Load {
  let done = false
  let steps = 0
  const faults: string[] = []
  const writing = writers.map(async ({ name, step }) => {
    // Each writer has its own random numbers. Otherwise the order of the answers would decide what they write.
    const ownRandom = seeded(random.below(2 ** 31))
    try {
      while (!done && (await step(ownRandom))) steps++
    } catch (error) {
      faults.push(`${name}: ${(error as Error).message}`)
    }
  })
  const reading = readUntil(() => done)
  return {
    async untilRandomMoment() {
      const wanted = random.below(80)
      for (const timeout = AbortSignal.timeout(5_000); steps < wanted && !timeout.aborted; ) await sleep(5)
      await sleep(random.below(50))
    },
    async end() {
      done = true
      await Promise.all(writing)
      faults.push(...(await reading))
      return { steps, faults }
    },
  }
}

export async function checkAll({ writers }: Workload): Promise<string[]> {
  const faults: string[] = []
  for (const { name, check } of writers) {
    for (const fault of await check()) faults.push(`${name}: ${fault}`)
  }
  return faults
}

/** This includes the very first start: a store that was only half created must work after the next start. */
async function killWhileStarting(location: StoreLocation, random: Random): Promise<void> {
  const server = spawnServer(location, 1)
  await Promise.race([sleep(random.below(1_500)), server.listening.catch(() => undefined)])
  await server.kill("all")
}
