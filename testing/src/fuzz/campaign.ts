import fc, { type Arbitrary } from "fast-check"
import { engine } from "../database.ts"
import { checkOnlyLogs } from "../leaks.ts"

const seconds = Number(process.env["FUZZ_SECONDS"] ?? 0)
const givenSeed = process.env["FUZZ_SEED"]

const runsPerRound = 20
/** For making a failure small, which ends by itself much earlier when the failure is simple. */
const shrinkMs = 60_000

export interface Campaign<Case> {
  /** What `npm run fuzz -- --kind` calls it. */
  kind: string
  /** How long it runs unless the command line says otherwise. */
  seconds: number
  cases: Arbitrary<Case>
  /** Throws when the product does not hold for this case. Each begins on a store of its own making. */
  holds(one: Case): Promise<void>
}

/** For Vitest: the time it runs, the time to make a failure small, and patience with a slow machine. */
export const timeLimit = (planned: number) => (seconds || planned) * 1000 + shrinkMs + 120_000

/**
 * Tries cases for a fixed time, in rounds of one seed each. A seed given by hand is the seed of the first round, so that it
 * repeats what that round found. Returns how many cases were tried.
 */
export async function campaign<Case>(plan: Campaign<Case>): Promise<number> {
  const { kind, cases, holds } = plan
  const first = givenSeed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(givenSeed)
  const planned = seconds || plan.seconds
  say(`fuzz ${kind} on ${engine}: seed ${first}, ${planned} s`)
  const end = Date.now() + planned * 1000
  let tried = 0
  let failed = false
  let running: Promise<void> = Promise.resolve()
  const property = fc.asyncProperty(cases, async (one) => {
    // Time ends the search for a failure, never the work of making a found one small.
    if (Date.now() >= end && !failed) return
    tried++
    running = holds(one)
    await running.catch((error) => {
      failed = true
      throw error
    })
    checkOnlyLogs()
  })
  for (let seed = first; Date.now() < end; seed++) {
    const left = Math.max(0, end - Date.now()) + shrinkMs
    const details = await fc.check(property, { seed, numRuns: runsPerRound, interruptAfterTimeLimit: left })
    await running.catch(() => undefined)
    if (details.failed) throw new Error(report(kind, seed, details), { cause: details.errorInstance })
  }
  say(`fuzz ${kind} on ${engine}: seed ${first}, ${tried} cases held`)
  return tried
}

function report(
  kind: string,
  seed: number,
  {
    counterexample,
    numShrinks,
    errorInstance,
  }: { counterexample: unknown; numShrinks: number; errorInstance: unknown },
): string {
  const fault = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  return [
    fault,
    `The smallest case found, after ${numShrinks} steps of making it smaller:`,
    fc.stringify(counterexample),
    `To repeat it: npm run fuzz -- --kind ${kind} --engine ${engine} --seed ${seed}`,
  ].join("\n")
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}
