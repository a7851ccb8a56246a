import { startPostgres } from "@envkeep/testing/machine/postgres.ts"
import { buildProduct } from "./build.ts"
import { createCleanup } from "./cleanup.ts"
import { MisuseError } from "./options.ts"
import { readSoakOptions } from "./soak/options.ts"
import { type Interval, soak } from "./soak/run.ts"
import { judge } from "./soak/verdict.ts"
import { median } from "./turns.ts"

// `npm run soak`: minutes of mixed traffic, and a verdict.

process.exitCode = await main(process.argv.slice(2))

async function main(args: string[]): Promise<number> {
  const cleanup = createCleanup()
  try {
    const options = readSoakOptions(args)
    buildProduct()
    print(["time", "calls/s", "faults", "memory", "files", "db conns", "idle", "read p50", "slowest"])
    const outcome = await soak({ cleanup, postgres: () => postgres(cleanup) }, options, tell)
    for (const [fault, count] of outcome.faults) process.stdout.write(`fault, ${count} times: ${fault}\n`)
    const judgements = judge(outcome)
    for (const { rule, found, kept } of judgements) {
      process.stdout.write(`${kept ? "kept  " : "BROKEN"}  ${rule}: ${found}\n`)
    }
    return judgements.every(({ kept }) => kept) ? 0 : 1
  } catch (error) {
    if (!(error instanceof MisuseError)) throw error
    process.stderr.write(`soak: ${error.message}\n`)
    return 2
  } finally {
    await cleanup.run()
  }
}

async function postgres(cleanup: ReturnType<typeof createCleanup>): Promise<string> {
  const { url, stop } = await startPostgres({ durable: true })
  cleanup.later(stop)
  return url
}

function tell({ seconds, callsPerSecond, faults, rss, files, connections, idle, readMs }: Interval): void {
  const time = `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`
  const memory = `${(rss / 1e6).toFixed(0)} MB`
  // No read ended in this interval; the next one reports how long that read took.
  const reads =
    readMs.length === 0 ? ["-", "-"] : [median(readMs), Math.max(...readMs)].map((ms) => `${ms.toFixed(1)} ms`)
  print([
    time,
    callsPerSecond.toFixed(0),
    String(faults),
    memory,
    String(files),
    String(connections),
    String(idle),
    ...reads,
  ])
}

function print(cells: string[]): void {
  process.stdout.write(`${cells.map((cell) => cell.padStart(10)).join("")}\n`)
}
