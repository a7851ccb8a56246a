import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { parseArgs } from "node:util"

// Runs the fuzz tests for a given time. Each kind on each engine gets the whole time; they run in parallel.

const engines = { sqlite: "server on SQLite", postgres: "server on PostgreSQL" }
const kinds = ["model", "people", "isolation", "invalid", "bytes"]
const usage = `npm run fuzz -- [--minutes 5] [--seed N] [--engine ${Object.keys(engines).join("|")}] [--kind ${kinds.join("|")}]`

const { minutes, seed, engine, kind } = readArguments()
const projects = Object.entries(engines).filter(([name]) => engine === undefined || name === engine)
const files = kinds.filter((name) => kind === undefined || name === kind)
const { status } = spawnSync(
  "vitest",
  [
    "run",
    ...projects.flatMap(([, project]) => ["--project", project]),
    ...files.map((name) => `server/test/fuzz/${name}.test.ts`),
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
process.exit(status ?? 1)

function readArguments() {
  const text = { type: "string" } as const
  try {
    const { values } = parseArgs({ options: { minutes: text, seed: text, engine: text, kind: text } })
    const minutes = Number(values.minutes ?? 5)
    const seed = values.seed === undefined ? undefined : Number(values.seed)
    if (!(minutes > 0 && minutes <= 10_000)) throw new Error("--minutes must be a number above 0")
    if (seed !== undefined && !Number.isSafeInteger(seed)) throw new Error("--seed must be a whole number")
    if (values.engine !== undefined && !(values.engine in engines)) throw new Error(`no such engine: ${values.engine}`)
    if (values.kind !== undefined && !kinds.includes(values.kind)) throw new Error(`no such kind: ${values.kind}`)
    return { minutes, seed, engine: values.engine, kind: values.kind }
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${usage}`)
    process.exit(2)
  }
}
