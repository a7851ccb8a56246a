import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { choiceOption, numberOption, parseStrictly, runProgram } from "@envkeep/testing/machine/program.ts"

// Runs the fuzz tests for a given time. Each kind on each engine gets the whole time; they run in parallel.

const projects = { sqlite: "server on SQLite", postgres: "server on PostgreSQL" }
const engines = ["sqlite", "postgres"] as const
const kinds = ["model", "people", "isolation", "invalid", "bytes"] as const
const usage = `Runs the fuzz tests for some minutes. Each kind on each engine gets the whole time; they run in parallel.

usage: npm run fuzz -- [options]

  --minutes <number>    for how long: 5 without it
  --seed <number>       repeats a run, such as one that failed
  --engine <name>       ${engines.join(" or ")}; both without it
  --kind <name>         ${kinds.join(", ")}; all without it

examples:
  npm run fuzz
  npm run fuzz -- --minutes 30 --engine sqlite --kind model
  npm run fuzz -- --seed 12345
`

const args = process.argv.slice(2)
process.exitCode = await runProgram(args, { command: "npm run fuzz", usage, run: () => fuzz(readOptions()) })

function readOptions() {
  const text = { type: "string" } as const
  const { values } = parseStrictly(args, { minutes: text, seed: text, engine: text, kind: text })
  const engine = choiceOption("--engine", values.engine, engines)
  const kind = choiceOption("--kind", values.kind, kinds)
  return {
    minutes: numberOption("--minutes", values.minutes, { least: 0.01, most: 10_000 }) ?? 5,
    seed: numberOption("--seed", values.seed, { isWhole: true, least: Number.MIN_SAFE_INTEGER }),
    chosen: { engines: engine === undefined ? engines : [engine], kinds: kind === undefined ? kinds : [kind] },
  }
}

function fuzz({ minutes, seed, chosen }: ReturnType<typeof readOptions>): number {
  const { status } = spawnSync(
    "vitest",
    [
      "run",
      ...chosen.engines.flatMap((engine) => ["--project", projects[engine]]),
      ...chosen.kinds.map((kind) => `server/test/fuzz/${kind}.test.ts`),
    ],
    {
      cwd: join(import.meta.dirname, ".."),
      stdio: "inherit",
      env: {
        ...process.env,
        FUZZ_SECONDS: String(Math.ceil(minutes * 60)),
        ...(seed === undefined ? {} : { FUZZ_SEED: String(seed) }),
      },
    },
  )
  return status ?? 1
}
