import { setTimeout as sleep } from "node:timers/promises"
import type { StoreLocation } from "../database.ts"
import type { Target } from "./calls.ts"
import { type Cast, makeCast } from "./cast.ts"
import { type Random, seeded } from "./random.ts"
import { type Server, spawnServer } from "./server.ts"

export interface Run {
  location: StoreLocation
  rounds: number
  seed: number
  tell(line: string): void
}

/**
 * Kills the server at a random moment under mixed writes, starts it again with nothing done by hand, and compares what was
 * acknowledged with what is there; again and again on the same store. Returns the faults of the first round that has any.
 */
export async function crashRounds({ location, rounds, seed, tell }: Run): Promise<string[]> {
  const random = seeded(seed)
  await killWhileStarting(location, random)
  const target: Target = { url: "" }
  let server = spawnServer(location, 1)
  try {
    target.url = await server.listening
    const cast = await makeCast(target)
    for (let round = 1; round <= rounds; round++) {
      const workers = random.pick([1, 1, 2])
      const { steps, faults } = await oneRound(cast, server, random)
      if (random.chance(0.2)) await killWhileStarting(location, random)
      server = spawnServer(location, workers)
      target.url = await server.listening
      faults.push(...(await checkAll(cast)))
      tell(`round ${round}: ${steps} writes, then killed; ${faults.length === 0 ? "all there" : "FAULTS"}`)
      if (faults.length > 0) return faults.map((fault) => `round ${round}: ${fault}`)
    }
    return []
  } finally {
    await server.kill("all")
  }
}

async function oneRound(cast: Cast, server: Server, random: Random) {
  const load = beginLoad(cast, random)
  await load.untilRandom()
  await server.kill(random.pick(["all", "all", "first"]))
  return load.end()
}

export interface Load {
  /** A random moment, by how much was written: machines are not equally fast. */
  untilRandom(): Promise<void>
  /** Waits until nobody writes any more. */
  end(): Promise<{ steps: number; faults: string[] }>
}

/** Everybody writes one thing after another, and reads, until told to end or left without an answer. */
export function beginLoad({ writers, readOn }: Cast, random: Random): Load {
  let over = false
  let steps = 0
  const faults: string[] = []
  const writing = writers.map(async ({ name, step }) => {
    // Numbers of its own for each, or the order of their answers would decide what they write.
    const own = seeded(random.below(2 ** 31))
    try {
      while (!over && (await step(own))) steps++
    } catch (error) {
      faults.push(`${name}: ${(error as Error).message}`)
    }
  })
  const reading = readOn(() => over)
  return {
    async untilRandom() {
      const wanted = random.below(80)
      for (const givenUp = AbortSignal.timeout(5_000); steps < wanted && !givenUp.aborted; ) await sleep(5)
      await sleep(random.below(50))
    },
    async end() {
      over = true
      await Promise.all(writing)
      faults.push(...(await reading))
      return { steps, faults }
    },
  }
}

export async function checkAll({ writers }: Cast): Promise<string[]> {
  const faults: string[] = []
  for (const { name, check } of writers) {
    for (const fault of await check()) faults.push(`${name}: ${fault}`)
  }
  return faults
}

/** The very first start included: a store that is only half made must come up by itself too. */
async function killWhileStarting(location: StoreLocation, random: Random): Promise<void> {
  const server = spawnServer(location, 1)
  await Promise.race([sleep(random.below(1_500)), server.listening.catch(() => undefined)])
  await server.kill("all")
}
