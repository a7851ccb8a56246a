import { defineConfig } from "vitest/config"

const leaksSetup = "testing/src/leaks-setup.ts"
const serverTests = {
  include: ["server/src/**/*.test.ts", "server/test/**/*.test.ts"],
  setupFiles: [leaksSetup],
  testTimeout: 30_000,
  hookTimeout: 60_000,
}
// A test of something that only one engine has runs on that engine only.
const onlyOn = (engine: "sqlite" | "postgres") => [`server/{src,test}/**/*.${engine}.test.ts`]

export default defineConfig({
  test: {
    // By default, Vitest leaves one of two cores idle.
    maxWorkers: "100%",
    projects: [
      "web/vitest.config.ts",
      { test: { name: "contract", include: ["contract/src/**/*.test.ts"] } },
      { test: { name: "formats", include: ["formats/src/**/*.test.ts"], testTimeout: 60_000 } },
      {
        test: {
          name: "client",
          include: ["client/test/**/*.test.ts"],
          globalSetup: "client/test/build.ts",
          setupFiles: [leaksSetup],
          env: { TEST_ENGINE: "sqlite" },
          testTimeout: 60_000,
        },
      },
      { test: { name: "house", include: ["scripts/**/*.test.ts", "bench/**/*.test.ts"], testTimeout: 30_000 } },
      {
        test: {
          name: "server on SQLite",
          env: { TEST_ENGINE: "sqlite" },
          exclude: onlyOn("postgres"),
          ...serverTests,
        },
      },
      {
        test: {
          name: "server on PostgreSQL",
          env: { TEST_ENGINE: "postgres" },
          globalSetup: "testing/src/postgres-setup.ts",
          exclude: onlyOn("sqlite"),
          ...serverTests,
        },
      },
    ],
  },
})
