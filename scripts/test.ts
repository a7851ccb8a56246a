import { spawn } from "node:child_process"
import { once } from "node:events"
import { globSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { findChromium } from "@envkeep/testing/machine/chromium.ts"
import { findPostgres17 } from "@envkeep/testing/machine/postgres-17.ts"

// Everything that must pass, cheapest first. `npm test` runs the usual steps, `npm run test:long` the long ones. A name runs
// one step, and takes options. What uses one core runs beside something else that does.

const root = join(import.meta.dirname, "..")
const isLong = process.argv[2] === "long"
const [wanted, ...options] = process.argv.slice(isLong ? 3 : 2)

type Output = "inherit" | "at the end"
type Steps = Record<string, (output: Output) => Promise<number>>

const usual: Steps = {
  check: (output) => run("biome", ["check", "--error-on-warnings"], { output }),
  types: async (output) => (await types("tsconfig.json", output)) || (await types("web/tsconfig.json", output)),
  build: (output) => node(["scripts/build.ts"], output),
  production: (output) => node(["scripts/production.ts"], output),
  unit: () => unit([]),
  journeys: () => journeys("e2e/playwright.config.ts"),
}

const long: Steps = {
  unit: () => unit(["--config", "vitest.long.config.ts"]),
  postgres17: onPostgres17,
  journeys: () => journeys("e2e/playwright.long.config.ts"),
  fuzz: () => node(["scripts/fuzz.ts", "--minutes", "2"], "inherit"),
  crash: () => node(["--disable-warning=ExperimentalWarning", "scripts/crash.ts", "--rounds", "10"], "inherit"),
}

/** One after another. Each has one or more rows of steps, which run side by side. */
const usualOrder = [[["check", "build", "production"], ["types"]], [["unit"]], [["journeys"]]]
const longOrder = [[["unit"]], [["postgres17"]], [["journeys"]], [["fuzz"]], [["crash"]]]

const steps = isLong ? long : usual
if (wanted !== undefined && steps[wanted] === undefined) {
  console.error(`There is no step ${wanted}, but ${Object.keys(steps).join(", ")}`)
  process.exit(2)
}
const order = isLong ? longOrder : usualOrder
for (const rows of wanted === undefined ? order : [[[wanted]]]) {
  const output = rows.length > 1 ? "at the end" : "inherit"
  const statuses = await Promise.all(rows.map((row) => runInOrder(row, output)))
  const failed = statuses.find((status) => status !== 0)
  if (failed !== undefined) process.exit(failed)
}

async function runInOrder(names: string[], output: Output): Promise<number> {
  for (const name of names) {
    console.error(`\n== ${name}`)
    const status = (await steps[name]?.(output)) ?? 1
    if (status !== 0) {
      // What runs beside it may print much after it.
      if (output === "at the end") console.error(`\n== ${name} failed`)
      return status
    }
  }
  return 0
}

/** By one checker: each of several works out for itself much of what the others do, and here another core has its own work. */
function types(project: string, output: Output): Promise<number> {
  return run("tsc", ["-p", project, "--checkers", "1"], { output })
}

/** Vitest would answer a path that no test has with the patterns of all its projects. */
async function unit(settings: string[]): Promise<number> {
  const [first = "-"] = options
  // With a line of the file, or from this folder.
  const path = first.replace(/^\.\//, "").replace(/:\d+$/, "")
  if (!path.startsWith("-") && !testFiles().some((file) => file.includes(path))) {
    console.error(`No test file has ${first} in its path`)
    return 2
  }
  return run("vitest", ["run", ...settings, ...options])
}

/** All that `unit` runs on the machine's PostgreSQL, on the version that the compose file has. */
async function onPostgres17(): Promise<number> {
  const programs = findPostgres17()
  if (programs === undefined) {
    console.error("There is no PostgreSQL 17 here, and npm's registry gave none: nothing was run on it")
    return wanted === undefined ? 0 : 1
  }
  console.error(`on PostgreSQL 17 from ${programs.from}`)
  try {
    const project = ["--config", "vitest.long.config.ts", "--project", "server on PostgreSQL"]
    const env = { TEST_POSTGRES_BIN: programs.bin, TEST_DATABASE_URL: "" }
    // The programs are there until it has ended.
    return await run("vitest", ["run", ...project, ...options], { env })
  } finally {
    programs.remove()
  }
}

function testFiles(): string[] {
  const exclude = ["**/node_modules/**", "**/dist/**"]
  return globSync("**/*.test.{ts,tsx}", { cwd: root, exclude }).map((file) => join(root, file))
}

function node(args: string[], output: Output): Promise<number> {
  return run(process.execPath, args, { output })
}

function journeys(config: string): Promise<number> {
  return run("playwright", ["test", "--config", config, ...options], { env: { CHROMIUM_PATH: findChromium() } })
}

interface RunOptions {
  env?: Record<string, string>
  output?: Output
}

/** Beside others, what it prints is shown once it has ended, so that lines of both do not mix. */
async function run(
  command: string,
  args: string[],
  { env = {}, output = "inherit" }: RunOptions = {},
): Promise<number> {
  const isShown = output === "inherit"
  const pipe = isShown ? "inherit" : "pipe"
  const child = spawn(command, args, { cwd: root, stdio: ["inherit", pipe, pipe], env: { ...process.env, ...env } })
  const [[status], out, err] = await Promise.all([
    once(child, "exit"),
    child.stdout === null ? "" : text(child.stdout),
    child.stderr === null ? "" : text(child.stderr),
  ])
  process.stdout.write(out)
  process.stderr.write(err)
  return status ?? 1
}
