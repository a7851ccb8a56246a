import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { testTimeoutMs, waitTimeoutMs } from "./testing/src/time-limits.ts"

const sqliteSetup = "testing/src/sqlite-setup.ts"
const leaksSetup = "testing/src/leaks-setup.ts"
// A test that replaces a module needs a process in which that was not loaded yet.
const isolatedTests = "server/src/**/*.isolated.test.ts"
const serverTests = {
  include: ["server/src/**/*.test.ts", "server/test/**/*.test.ts"],
  setupFiles: [leaksSetup],
  // Loading the server for each file takes a quarter of the time.
  isolate: false,
  testTimeout: testTimeoutMs,
  hookTimeout: testTimeoutMs,
  expect: { poll: { timeout: waitTimeoutMs } },
}
// A test of something that only one engine has runs on that engine only.
const onlyOn = (engine: "sqlite" | "postgres") => [`server/{src,test}/**/*.${engine}.test.ts`]

export default defineConfig({
  test: {
    // One more than there are cores: tests of server processes mostly wait for them. By default, one of two cores is idle.
    maxWorkers: availableParallelism() + 1,
    projects: [
      "web/vitest.config.ts",
      { test: { name: "contract", include: ["contract/src/**/*.test.ts"], testTimeout: testTimeoutMs } },
      { test: { name: "formats", include: ["formats/src/**/*.test.ts"], testTimeout: testTimeoutMs } },
      {
        test: {
          name: "client",
          include: ["client/test/**/*.test.ts"],
          globalSetup: ["client/test/build.ts", sqliteSetup],
          setupFiles: [leaksSetup],
          env: { TEST_ENGINE: "sqlite" },
          testTimeout: testTimeoutMs,
          hookTimeout: testTimeoutMs,
        },
      },
      {
        test: {
          name: "integrations",
          include: ["integrations/**/*.test.ts"],
          globalSetup: ["integrations/test/build.ts", sqliteSetup],
          setupFiles: [leaksSetup],
          env: { TEST_ENGINE: "sqlite" },
          testTimeout: testTimeoutMs,
        },
      },
      { test: { name: "house", include: ["scripts/**/*.test.ts", "bench/**/*.test.ts"], testTimeout: testTimeoutMs } },
      {
        test: {
          name: "server on SQLite",
          env: { TEST_ENGINE: "sqlite" },
          globalSetup: sqliteSetup,
          exclude: [...onlyOn("postgres"), isolatedTests],
          ...serverTests,
        },
      },
      {
        test: {
          name: "server with replaced modules",
          env: { TEST_ENGINE: "sqlite" },
          globalSetup: sqliteSetup,
          ...serverTests,
          include: [isolatedTests],
          isolate: true,
        },
      },
      {
        test: {
          name: "server on PostgreSQL",
          env: { TEST_ENGINE: "postgres" },
          globalSetup: "testing/src/postgres-setup.ts",
          exclude: [...onlyOn("sqlite"), isolatedTests],
          ...serverTests,
        },
      },
    ],
  },
})
