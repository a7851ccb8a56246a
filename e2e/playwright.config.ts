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
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [["list"]],
  use: { ...browser, screenshot: "only-on-failure" },
})
