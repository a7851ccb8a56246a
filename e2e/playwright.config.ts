import { journeyTimeoutMs, waitTimeoutMs } from "@envkeep/testing/time-limits.ts"
import { defineConfig } from "@playwright/test"
import { browser } from "./browser.ts"
import { buildIfNeeded } from "./build.ts"

buildIfNeeded()

export default defineConfig({
  testDir: ".",
  testMatch: "*.journey.ts",
  // Those are for `npm run test:long`.
  testIgnore: "*.long.journey.ts",
  grepInvert: /@long/,
  outputDir: "test-results",
  fullyParallel: true,
  workers: 2,
  timeout: journeyTimeoutMs,
  expect: { timeout: waitTimeoutMs },
  reporter: [["list"]],
  // Journeys that are about what moves, or where the focus goes after it, ask for motion.
  use: { ...browser, contextOptions: { reducedMotion: "reduce" }, screenshot: "only-on-failure" },
})
