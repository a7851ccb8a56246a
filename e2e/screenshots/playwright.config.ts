import { journeyTimeoutMs } from "@envkeep/testing/time-limits.ts"
import { defineConfig } from "@playwright/test"
import { browser } from "../browser.ts"
import { buildIfNeeded } from "../build.ts"

buildIfNeeded()

export default defineConfig({
  testDir: ".",
  testMatch: "*.shots.ts",
  outputDir: "../test-results",
  fullyParallel: true,
  workers: 2,
  timeout: journeyTimeoutMs,
  reporter: [["list"]],
  use: { ...browser, contextOptions: { reducedMotion: "reduce" } },
})
