import type { TestProjectConfiguration } from "vitest/config"
import { longTestTimeoutMs, testTimeoutMs, waitTimeoutMs } from "./time-limits.ts"

const sqliteSetup = "testing/src/sqlite-setup.ts"
const serverSetup = "testing/src/server-setup.ts"
const leaksSetup = "testing/src/leaks-setup.ts"
const onSqlite = { TEST_ENGINE: "sqlite" }

/** The projects of `npm test`, or those of `npm run test:long`, whose tests are in files named `*.long.test.ts`. */
export function vitestProjects(duration: "usual" | "long"): TestProjectConfiguration[] {
  const isLong = duration === "long"
  const suffix = isLong ? "long.test.ts" : "test.ts"
  const timeout = isLong ? longTestTimeoutMs : testTimeoutMs
  const limits = { testTimeout: timeout, hookTimeout: timeout, expect: { poll: { timeout: waitTimeoutMs } } }

  const testsIn = (...folders: string[]) => ({
    include: folders.map((folder) => `${folder}/**/*.${suffix}`),
    exclude: ["**/node_modules/**", ...(isLong ? [] : ["**/*.long.test.ts"])],
  })
  const plain = (name: string, ...folders: string[]) => ({ test: { name, ...testsIn(...folders), ...limits } })
  const withServer = (...folders: string[]) => ({
    ...testsIn(...folders),
    setupFiles: [leaksSetup],
    // Loading the server for each file takes a quarter of the time.
    isolate: false,
    ...limits,
  })

  const server = withServer("server/src", "server/test")
  const eitherSuffix = "{test,long.test}.ts"
  // A test that replaces a module needs a process in which that was not loaded yet.
  const isolated = `server/src/**/*.isolated.${eitherSuffix}`
  // A test of something that only one engine has runs on that engine only.
  const onlyOn = (engine: "sqlite" | "postgres") => `server/{src,test}/**/*.${engine}.${eitherSuffix}`

  return [
    ...(isLong ? [] : ["web/vitest.config.ts"]),
    plain("contract", "contract/src"),
    plain("formats", "formats/src"),
    { test: { name: "house", ...testsIn("scripts", "bench"), ...limits, globalSetup: serverSetup } },
    {
      test: {
        name: "client",
        ...withServer("client/test"),
        globalSetup: ["client/test/build.ts", sqliteSetup, serverSetup],
        env: onSqlite,
      },
    },
    {
      test: {
        name: "integrations",
        ...withServer("integrations"),
        globalSetup: ["integrations/test/build.ts", sqliteSetup, serverSetup],
        env: onSqlite,
      },
    },
    {
      test: {
        ...server,
        name: "server on SQLite",
        env: onSqlite,
        globalSetup: [sqliteSetup, serverSetup],
        exclude: [...server.exclude, onlyOn("postgres"), isolated],
      },
    },
    {
      test: {
        ...server,
        name: "server with replaced modules",
        env: onSqlite,
        globalSetup: [sqliteSetup, serverSetup],
        include: [`server/src/**/*.isolated.${suffix}`],
        isolate: true,
      },
    },
    {
      test: {
        ...server,
        name: "server on PostgreSQL",
        env: { TEST_ENGINE: "postgres", TEST_DURATION: duration },
        globalSetup: ["testing/src/postgres-setup.ts", serverSetup],
        // In the long run all files, since `npm test` leaves out much of them on PostgreSQL: see once.ts.
        ...(isLong && { include: ["server/{src,test}/**/*.test.ts"] }),
        exclude: [...server.exclude, onlyOn("sqlite"), isolated],
      },
    },
  ]
}
