import { defineConfig } from "@playwright/test"
import { browser } from "./browser.ts"
import { buildIfNeeded } from "./build.ts"

buildIfNeeded()

export default defineConfig({
  testDir: ".",
  testMatch: "*.journey.ts",
  outputDir: "test-results",
  fullyParallel: true,
  workers: 2,
  // Only a broken journey waits so long: on a machine that is busy with something else, a step can take many times its time.
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [["list"]],
  // Journeys that are about what moves, or where the focus goes after it, ask for motion.
  use: { ...browser, contextOptions: { reducedMotion: "reduce" }, screenshot: "only-on-failure" },
})
