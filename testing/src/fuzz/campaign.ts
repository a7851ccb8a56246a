import fc, { type Arbitrary } from "fast-check"
import { engine } from "../database.ts"
import { checkOnlyLogs } from "../leaks.ts"
import { testTimeoutMs } from "../time-limits.ts"

const seconds = Number(process.env["FUZZ_SECONDS"] ?? 0)
const givenSeed = process.env["FUZZ_SEED"]

const runsPerRound = 20
/** The most time for shrinking a failure. A simple failure is shrunk much faster. */
const shrinkMs = 60_000

export interface Campaign<Case> {
  /** Its name for `npm run fuzz -- --kind`. */
  kind: string
  /** How long it runs unless the command line says otherwise. */
  seconds: number
  cases: Arbitrary<Case>
  /** Throws if the product fails this case. Each case sets up the store that it needs. */
  check(one: Case): Promise<void>
}

/** The timeout of the Vitest test: the time it runs, the time to shrink a failure, and some more for a slow machine. */
export const campaignTimeoutMs = (plannedSeconds: number) =>
  (seconds || plannedSeconds) * 1000 + shrinkMs + testTimeoutMs

/**
 * Tries cases for a fixed time, in rounds of one seed each. The seed of the command line is the seed of the first round, so
 * that it repeats what a round found. Returns how many cases were tried.
 */
export async function campaign<Case>(plan: Campaign<Case>): Promise<number> {
  const { kind, cases, check } = plan
  const first = givenSeed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(givenSeed)
  const plannedSeconds = seconds || plan.seconds
  print(`fuzz ${kind} on ${engine}: seed ${first}, ${plannedSeconds} s`)
  const end = Date.now() + plannedSeconds * 1000
  let tried = 0
  let failed = false
  let running: Promise<void> = Promise.resolve()
  const property = fc.asyncProperty(cases, async (one) => {
    // The end of the time stops the search for a failure, but not the shrinking of one that was found.
    if (Date.now() >= end && !failed) return
    tried++
    running = check(one)
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
  print(`fuzz ${kind} on ${engine}: seed ${first}, ${tried} cases passed`)
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
    `The smallest failing case, after ${numShrinks} shrinking steps:`,
    fc.stringify(counterexample),
    `To repeat it: npm run fuzz -- --kind ${kind} --engine ${engine} --seed ${seed}`,
  ].join("\n")
}

function print(line: string): void {
  process.stderr.write(`${line}\n`)
}
