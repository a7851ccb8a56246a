import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { findChromium } from "@envkeep/testing/machine/chromium.ts"

// Everything that must pass, cheapest first. `npm test` runs all steps; a name runs one.

const root = join(import.meta.dirname, "..")

const steps: Record<string, () => number> = {
  check: () => run("biome", ["check", "--error-on-warnings"]),
  types: () => run("tsc", ["-p", "tsconfig.json"]) || run("tsc", ["-p", "web/tsconfig.json"]),
  unit: () => run("vitest", ["run", ...process.argv.slice(3)]),
  build: () => run(process.execPath, ["scripts/build.ts"]),
  production: () => run(process.execPath, ["scripts/production.ts"]),
  journeys: () =>
    run("playwright", ["test", "--config", "e2e/playwright.config.ts", ...process.argv.slice(3)], {
      CHROMIUM_PATH: findChromium(),
    }),
}

const [, , wanted] = process.argv
for (const [name, step] of Object.entries(steps)) {
  if (wanted !== undefined && wanted !== name) continue
  console.error(`\n== ${name}`)
  const status = step()
  if (status !== 0) process.exit(status)
}

function run(command: string, args: string[], env: Record<string, string> = {}): number {
  return spawnSync(command, args, { cwd: root, stdio: "inherit", env: { ...process.env, ...env } }).status ?? 1
}
