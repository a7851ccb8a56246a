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
  timeout: 120_000,
  reporter: [["list"]],
  use: { ...browser, contextOptions: { reducedMotion: "reduce" } },
})
