import { newStoreLocation, onPostgres } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { serverWithMetrics } from "@envkeep/testing/server-with-metrics.ts"
import { expect, test, vi } from "vitest"

// Real processes start one after the other, on machines that may have other things to do.
test("a lost listening connection is counted, and so is a database that cannot be reached", async () => {
  const location = await newStoreLocation()
  const { metrics, call } = await serverWithMetrics({}, location)
  const name = new URL(location.databaseUrl ?? "").pathname.slice(1)
  const dropAll = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`
  await onPostgres(dropAll)
  await vi.waitFor(async () => {
    const page = await metrics()
    expect(page.value("envkeep_database_hearing_reconnects_total")).toBeGreaterThan(0)
    expect(page.value("envkeep_database_hearing")).toBe(1)
  }, eventually)
  await onPostgres(`alter database ${name} allow_connections false`)
  await onPostgres(dropAll)
  const away = await vi.waitFor(async () => {
    expect((await call("GET", "/collection")).status).toBeGreaterThanOrEqual(500)
    const page = await metrics()
    expect(page.value("envkeep_database_hearing")).toBe(0)
    expect(page.value("envkeep_database_connect_failures_total")).toBeGreaterThan(0)
    return page
  }, eventually)
  expect(away.text).toContain("# TYPE envkeep_attempts gauge\n")
  expect(away.text).not.toMatch(/^envkeep_attempts /m)
})
