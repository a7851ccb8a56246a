import { readFileSync } from "node:fs"
import { join } from "node:path"
import { engine } from "@envkeep/testing/database.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { ignoreUrls } from "@envkeep/testing/leaks.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { serverWithMetrics } from "@envkeep/testing/server-with-metrics.ts"
import { expect, vi } from "vitest"

// Real processes start one after the other, on machines that may have other things to do.
testOnce("the numbers move as requests come in", async () => {
  const { url, call, read, apiKey, form, environment, metrics } = await serverWithMetrics()
  const before = await metrics()
  const readings = { route: "/api/v1/variables" }
  expect(before.sum("envkeep_http_requests_total", readings)).toBe(0)
  expect(before.value("envkeep_memory_environments")).toBe(0)

  const first = await read()
  await Promise.all([
    first.text(),
    (await read()).text(),
    (await read()).text(),
    (await read({}, "?format=json&x=1")).text(),
  ])
  await read({ "if-none-match": first.headers.get("etag") ?? "" })
  await read({ authorization: "Bearer ek_zebra" })
  const events = readEvents(
    await fetch(`${url}/api/v1/variables/watch`, { headers: { authorization: `Bearer ${apiKey.key}` } }),
  )
  await events.next()
  for (let n = 0; n < 11; n++)
    await call("POST", "/users/login", { email: "zebra-stranger@example.com", password: "x" }, { cookie: "" })
  await call("POST", "/users/register", form)
  await call("PUT", "/users", [[[[[[[[["zebra"]]]]]]]]])
  await call("PUT", "/users", { username: "z".repeat(16 * 1024) })
  await (await fetch(`${url}/zebra-file/${apiKey.key}.js`)).text()
  ignoreUrls()

  const after = await vi.waitFor(async () => {
    const page = await metrics()
    expect(page.sum("envkeep_http_requests_total", { route: "none" })).toBe(1)
    return page
  }, eventually)
  expect(after.value('envkeep_http_requests_total{method="GET",route="/api/v1/variables",status="200"}')).toBe(4)
  expect(after.value('envkeep_http_requests_total{method="GET",route="/api/v1/variables",status="304"}')).toBe(1)
  expect(after.value('envkeep_http_requests_total{method="GET",route="/api/v1/variables",status="401"}')).toBe(1)
  expect(after.value('envkeep_http_requests_total{method="POST",route="/api/users/login",status="429"}')).toBe(1)
  expect(after.value('envkeep_http_request_seconds_count{kind="read"}')).toBeGreaterThanOrEqual(3)
  expect(after.value('envkeep_http_request_seconds_count{kind="password"}')).toBe(14)
  expect(after.sum("envkeep_reads_total")).toBe(5)
  expect(after.value('envkeep_reads_total{from="database"}')).toBeGreaterThan(0)
  expect(after.value("envkeep_reads_unchanged_total")).toBe(1)
  expect(after.value("envkeep_reads_refused_total")).toBe(1)
  expect(after.value("envkeep_watchers")).toBe(1)
  expect(after.value("envkeep_http_requests_in_flight")).toBe(0)
  expect(after.value('envkeep_refusals_total{bound="body_depth"}')).toBe(1)
  expect(after.value('envkeep_refusals_total{bound="body_bytes"}')).toBe(1)
  expect(after.sum("envkeep_refusals_total")).toBe(2)
  expect(after.sum("envkeep_bytes_under_way")).toBe(0)
  expect(after.sum("envkeep_requests_waiting")).toBe(0)
  expect(after.value('envkeep_attempts_refused_total{limit="loginPair"}')).toBe(1)
  expect(after.value("envkeep_attempts")).toBeGreaterThan(0)
  expect(after.value('envkeep_database_errors_total{reason="other"}')).toBe(0)
  expect(after.value("envkeep_database_query_seconds_count")).toBeGreaterThan(
    before.value("envkeep_database_query_seconds_count"),
  )
  if (engine === "postgres") expect(after.sum("envkeep_database_connections")).toBeGreaterThan(0)
  expect(after.value("process_resident_memory_bytes")).toBeGreaterThan(10_000_000)
  expect(after.value("process_cpu_seconds_total")).toBeGreaterThan(0)
  expect(Math.abs(after.value("process_start_time_seconds") - Date.now() / 1000)).toBeLessThan(600)

  // A busy node may not hear of changes for a moment, and then asks the database.
  await vi.waitFor(async () => {
    await (await read()).text()
    const page = await metrics()
    expect(page.value("envkeep_database_hearing")).toBe(1)
    expect(page.value("envkeep_memory_environments")).toBe(1)
    expect(page.value("envkeep_memory_bytes")).toBeGreaterThan(0)
    expect(page.value('envkeep_reads_total{from="memory"}')).toBeGreaterThan(0)
  }, eventually)
  await call("POST", `/subcollection/${environment.id}/bulk`, [{ name: "ZEBRA_ITEM", value: "zebra-new" }])
  expect((await metrics()).value("envkeep_memory_environments")).toBe(0)
  await events.return(undefined)
  await vi.waitFor(async () => expect((await metrics()).value("envkeep_watchers")).toBe(0), eventually)
})

testOnce(
  "several processes show one page: counts summed, states apart, and nothing lost with a process that was replaced",
  async () => {
    const { server, call, metrics } = await serverWithMetrics({ ENVKEEP_WORKERS: "2" })
    const asked = { method: "GET", route: "/api/collection", status: "200" }
    const bothServe = async () => {
      const page = await metrics()
      for (const worker of ["0", "1", "2"]) page.value(`process_resident_memory_bytes{worker="${worker}"}`)
      expect(page.value("envkeep_workers")).toBe(2)
    }
    await vi.waitFor(bothServe, eventually)
    for (let n = 0; n < 20; n++) await (await call("GET", "/collection")).text()
    await vi.waitFor(
      async () => expect((await metrics()).sum("envkeep_http_requests_total", asked)).toBe(20),
      eventually,
    )

    const pids = new Set(Array.from(server.output.out.matchAll(/"pid":(\d+)/g), ([, pid]) => Number(pid)))
    const [victim] = pids
    process.kill(victim ?? 0, "SIGKILL")
    await vi.waitFor(async () => expect((await metrics()).value("envkeep_worker_exits_total")).toBe(1), eventually)
    expect((await metrics()).sum("envkeep_http_requests_total", asked)).toBe(20)
    await vi.waitFor(bothServe, eventually)
    for (let n = 0; n < 10; n++) await (await call("GET", "/collection")).text()
    await vi.waitFor(
      async () => expect((await metrics()).sum("envkeep_http_requests_total", asked)).toBe(30),
      eventually,
    )
    const page = await metrics()
    expect(page.text.match(/^envkeep_build_info/gm)).toHaveLength(1)
    expect(page.text.match(/^envkeep_attempts /gm)).toHaveLength(1)
    expect(page.text.match(/^envkeep_database_hearing\{worker="[12]"\}/gm)).toHaveLength(2)

    const guide = readFileSync(join(import.meta.dirname, "../../../docs/self-hosting.md"), "utf8")
    const listed = Array.from(guide.matchAll(/^\| `((?:envkeep|process)_[a-z_]+)` \|/gm), (match) => match[1])
    expect(listed.toSorted(), "docs/self-hosting.md lists exactly the metrics there are").toEqual(page.names.toSorted())
  },
)
