import { cpus } from "node:os"
import { buildProduct } from "./build.ts"
import { createCleanup } from "./cleanup.ts"
import { readDayOptions } from "./day/options.ts"
import { type Interval, liveOneDay } from "./day/run.ts"
import { judge, type Outcome } from "./day/verdict.ts"
import { MisuseError } from "./options.ts"

// `npm run day`: a day of mixed traffic in an hour, on three nodes that are restarted and failed over, and a verdict.

const shownFindings = 40

process.exitCode = await main(process.argv.slice(2))

async function main(args: string[]): Promise<number> {
  const cleanup = createCleanup()
  try {
    const options = readDayOptions(args)
    buildProduct()
    print(["time", "reads", "stale", "writes", "people", "command", "watchers", "webhooks", "broken", "idle", "memory"])
    const outcome = await liveOneDay(cleanup, options, tellWith(createIdleMeter()))
    report(outcome)
    const judgements = judge(outcome)
    for (const { rule, found, kept } of judgements) say(`${kept ? "kept  " : "BROKEN"}  ${rule}: ${found}`)
    return judgements.every(({ kept }) => kept) ? 0 : 1
  } catch (error) {
    if (!(error instanceof MisuseError)) throw error
    process.stderr.write(`day: ${error.message}\n`)
    return 2
  } finally {
    await cleanup.run()
  }
}

function tellWith(idle: () => number): (interval: Interval) => void {
  return ({ seconds, during, counts, writes, findings, rss }) => {
    const cells = [
      counts.reads,
      counts.staleReads,
      writes,
      counts.personCalls,
      counts.commandReads + counts.commandWrites,
      counts.watcherUpdates,
      counts.webhookMessages,
      findings,
    ].map(String)
    const memory = rss.map((bytes) => (bytes / 1e6).toFixed(0)).join(" ")
    print([clock(seconds), ...cells, `${Math.round(idle() * 100)} %`, `   ${memory}`, `  ${during}`])
  }
}

function report({ findings, counts, events, slowestReadMs, logged }: Outcome): void {
  for (const { name, from, to } of events) say(`${clock(from)}  ${name}: ${(to - from).toFixed(1)} s`)
  say(
    `made again: ${counts.unknownWrites} writes without an answer, ${counts.refusedCalls} refused calls; ` +
      `${counts.repeatedMessages} messages came twice; the slowest read took ${Math.round(slowestReadMs)} ms`,
  )
  for (const [text, count] of logged) say(`logged, ${count} times: ${text}`)
  for (const { rule, seconds, during, what } of findings.slice(0, shownFindings)) {
    say(`${clock(seconds)}  ${rule}, ${during}: ${what}`)
  }
  if (findings.length > shownFindings) say(`and ${findings.length - shownFindings} more`)
}

/** How much of the machine was idle since the last call. */
function createIdleMeter(): () => number {
  const read = () => {
    const times = cpus().map(({ times }) => times)
    const all = times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0)
    return { all, idle: times.reduce((sum, { idle }) => sum + idle, 0) }
  }
  let last = read()
  return () => {
    const [before, now] = [last, read()]
    last = now
    return (now.idle - before.idle) / Math.max(1, now.all - before.all)
  }
}

function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`
}

function print(cells: string[]): void {
  say(cells.map((cell) => cell.padStart(9)).join(""))
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
