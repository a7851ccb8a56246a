import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as wait } from "node:timers/promises"
import { runProgram } from "../product.ts"
import { type Entry, writtenValue } from "./ledger.ts"
import { freshWithinMs, write } from "./programs.ts"
import type { Day } from "./shared.ts"
import type { StagedEnvironment } from "./stage.ts"

const cli = join(import.meta.dirname, "../../client/dist/cli.cjs")
const pauseMs = 4_000

/** The command `envkeep`, as pipelines and machines run it: each time a process of its own. */
export async function keepCommanding(day: Day, folder: string): Promise<void> {
  const { stage, ledger, journal, counts } = day
  const [first, second, third] = stage.environments as [StagedEnvironment, StagedEnvironment, StagedEnvironment]
  const assigned = ledger.add(first.at, "SET_BY_COMMAND")
  const pushed = ledger.add(second.at, "PUSHED_BY_COMMAND")
  const file = join(folder, "pushed.env")
  await Promise.all([
    again(() => read(third, ["run", "--", "/usr/bin/env"], parseLines)),
    again(() => read(first, ["print", "--format", "json"], JSON.parse)),
    again(() => write(day, assigned, () => change(first, ["set", assignment(assigned), "--yes"]))),
    again(() =>
      write(day, pushed, async () => {
        await writeFile(file, `${assignment(pushed)}\n`)
        return change(second, ["push", file, "--yes"])
      }),
    ),
  ])

  async function again(act: () => Promise<void>): Promise<void> {
    while (day.isOn()) {
      await act()
      await wait(pauseMs)
    }
  }

  function envkeep(args: string[], env: Record<string, string>) {
    return runProgram([cli, ...args], { HOME: folder, ENVKEEP_URL: day.url, ...env }, folder)
  }

  async function read(
    { at, key }: StagedEnvironment,
    args: string[],
    parse: (text: string) => Record<string, string>,
  ): Promise<void> {
    const startedAt = performance.now()
    counts.commandReads++
    const { code, out, err } = await envkeep(args, { ENVKEEP_KEY: key, ENVKEEP_INSTANCE: `command-${args[0]}` })
    if (code !== 0) return journal.note("dayRead", `envkeep ${args.join(" ")}: exit code ${code} ${err}`)
    // The command does not print whether the answer was stale, so one made while the database was away may be.
    const since = Math.min(startedAt, journal.since("away", startedAt) ?? startedAt) - freshWithinMs
    for (const fault of ledger.faults(at, parse(out), since)) {
      journal.note("dayFresh", `envkeep ${args.join(" ")}: ${fault}`)
    }
  }

  async function change({ id }: StagedEnvironment, args: string[]): Promise<boolean> {
    const from = performance.now()
    counts.commandWrites++
    const { code, out, err } = await envkeep(args, {
      ENVKEEP_TOKEN: stage.token,
      ENVKEEP_COLLECTION: String(stage.collectionId),
      ENVKEEP_ENVIRONMENT: String(id),
    })
    if (code === 0) return true
    const isExcused = (["restart", "away"] as const).some((kind) => journal.since(kind, from) !== undefined)
    if (isExcused) counts.unknownWrites++
    else journal.note("dayCall", `envkeep ${args[0]}: exit code ${code} ${err}${out}`)
    return false
  }
}

const assignment = ({ name, attempted }: Entry) => `${name}=${writtenValue(name, attempted)}`

function parseLines(text: string): Record<string, string> {
  return Object.fromEntries(text.split("\n").map((line) => line.split(/=(.*)/s).slice(0, 2)))
}
