import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { type Ended, runProgram } from "./commands.ts"
import type { Day } from "./day.ts"
import { type Entry, writtenValue } from "./ledger.ts"
import { freshWithinMs } from "./readers.ts"
import type { StagedEnvironment } from "./stage.ts"
import { write } from "./writers.ts"

const cli = join(import.meta.dirname, "../../client/dist/cli.cjs")
const pauseMs = 4_000

/** The command `envkeep`, as pipelines and machines run it: each time a process of its own. */
export async function keepCommanding(day: Day, folder: string): Promise<void> {
  const { stage, ledger } = day
  const [first, second, third] = stage.environments as [StagedEnvironment, StagedEnvironment, StagedEnvironment]
  const assigned = ledger.add(first.at, "SET_BY_COMMAND")
  const pushed = ledger.add(second.at, "PUSHED_BY_COMMAND")
  const file = join(folder, "pushed.env")
  await Promise.all([
    again(day, () => read(third, ["run", "--", "/usr/bin/env"], parseLines)),
    again(day, () => read(first, ["print", "--format", "json"], JSON.parse)),
    again(day, () => write(day, assigned, () => change(first, ["set", assignment(assigned), "--yes"]))),
    again(day, () =>
      write(day, pushed, async () => {
        await writeFile(file, `${assignment(pushed)}\n`)
        return change(second, ["push", file, "--yes"])
      }),
    ),
  ])

  function envkeep(args: string[], env: Record<string, string>): Promise<Ended> {
    return runProgram([cli, ...args], { HOME: folder, ENVKEEP_URL: day.url, ...env }, folder)
  }

  async function read(
    { at, key }: StagedEnvironment,
    args: string[],
    parse: (text: string) => Record<string, string>,
  ): Promise<void> {
    const startedAt = performance.now()
    day.counts.commandReads++
    const { code, out, err } = await envkeep(args, { ENVKEEP_KEY: key, ENVKEEP_INSTANCE: `command-${args[0]}` })
    if (code !== 0) return day.findings.note("read", `envkeep ${args.join(" ")}: exit code ${code} ${err}`)
    // The command does not print whether the answer was stale, so one made while the database was away may be.
    const since = Math.min(startedAt, day.timeline.awaySince(startedAt, performance.now()) ?? startedAt) - freshWithinMs
    for (const fault of ledger.faults(at, parse(out), since)) {
      day.findings.note("fresh", `envkeep ${args.join(" ")}: ${fault}`)
    }
  }

  async function change({ id }: StagedEnvironment, args: string[]): Promise<boolean> {
    const from = performance.now()
    day.counts.commandWrites++
    const { code, out, err } = await envkeep(args, {
      ENVKEEP_TOKEN: stage.token,
      ENVKEEP_COLLECTION: String(stage.collection.id),
      ENVKEEP_ENVIRONMENT: String(id),
    })
    if (code === 0) return true
    const to = performance.now()
    const isExcused = day.timeline.overlaps("restart", from, to) || day.timeline.overlaps("away", from, to)
    if (isExcused) day.counts.unknownWrites++
    else day.findings.note("call", `envkeep ${args[0]}: exit code ${code} ${err}${out}`)
    return false
  }
}

async function again({ isOn }: Day, act: () => Promise<void>): Promise<void> {
  while (isOn()) {
    await act()
    await wait(pauseMs)
  }
}

const assignment = ({ name, attempted }: Entry) => `${name}=${writtenValue(name, attempted)}`

function parseLines(text: string): Record<string, string> {
  return Object.fromEntries(text.split("\n").map((line) => line.split(/=(.*)/s).slice(0, 2)))
}
