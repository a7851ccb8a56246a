import { spawnSync } from "node:child_process"
import { globSync } from "node:fs"
import { join } from "node:path"
import { findChromium } from "@envkeep/testing/machine/chromium.ts"

// Everything that must pass, cheapest first. `npm test` runs the usual steps, `npm run test:long` the long ones. A name runs
// one step, and takes options.

const root = join(import.meta.dirname, "..")
const isLong = process.argv[2] === "long"
const [wanted, ...options] = process.argv.slice(isLong ? 3 : 2)

type Steps = Record<string, () => number>

const usual: Steps = {
  check: () => run("biome", ["check", "--error-on-warnings"]),
  types: () => run("tsc", ["-p", "tsconfig.json"]) || run("tsc", ["-p", "web/tsconfig.json"]),
  unit: () => unit([]),
  build: () => node("scripts/build.ts"),
  production: () => node("scripts/production.ts"),
  journeys: () => journeys("e2e/playwright.config.ts"),
}

const long: Steps = {
  unit: () => unit(["--config", "vitest.long.config.ts"]),
  journeys: () => journeys("e2e/playwright.long.config.ts"),
  fuzz: () => node("scripts/fuzz.ts", "--minutes", "2"),
  crash: () => node("--disable-warning=ExperimentalWarning", "scripts/crash.ts", "--rounds", "10"),
}

const steps = isLong ? long : usual
if (wanted !== undefined && steps[wanted] === undefined) {
  console.error(`There is no step ${wanted}, but ${Object.keys(steps).join(", ")}`)
  process.exit(2)
}
for (const [name, step] of Object.entries(steps)) {
  if (wanted !== undefined && wanted !== name) continue
  console.error(`\n== ${name}`)
  const status = step()
  if (status !== 0) process.exit(status)
}

/** Vitest would answer a path that no test has with the patterns of all its projects. */
function unit(settings: string[]): number {
  const [first = "-"] = options
  // With a line of the file, or from this folder.
  const path = first.replace(/^\.\//, "").replace(/:\d+$/, "")
  if (!path.startsWith("-") && !testFiles().some((file) => file.includes(path))) {
    console.error(`No test file has ${first} in its path`)
    return 2
  }
  return run("vitest", ["run", ...settings, ...options])
}

function testFiles(): string[] {
  const exclude = ["**/node_modules/**", "**/dist/**"]
  return globSync("**/*.test.{ts,tsx}", { cwd: root, exclude }).map((file) => join(root, file))
}

function node(...args: string[]): number {
  return run(process.execPath, args)
}

function journeys(config: string): number {
  return run("playwright", ["test", "--config", config, ...options], { CHROMIUM_PATH: findChromium() })
}

function run(command: string, args: string[], env: Record<string, string> = {}): number {
  return spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } }).status ?? 1
}
