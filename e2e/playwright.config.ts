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
  // Long, because a busy machine is slow: a journey that works must not fail there.
  timeout: 180_000,
  expect: { timeout: 30_000 },
  reporter: [["list"]],
  use: { ...browser, screenshot: "only-on-failure" },
})
