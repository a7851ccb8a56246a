import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import type { Envelope } from "@envkeep/contract"
import { engine, newStoreLocation, onPostgres, type StoreLocation } from "@envkeep/testing/database.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { ignoreUrls } from "@envkeep/testing/leaks.ts"
import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { run } from "@envkeep/testing/process.ts"
import { parsePage, readMetrics } from "@envkeep/testing/prometheus.ts"
import { Counter, Gauge, Registry } from "prom-client"
import { expect, onTestFinished, test, vi } from "vitest"
import { mergeReports } from "./merge-reports.ts"

interface Made {
  id: number
  key: string
}

// Real processes start one after the other, on machines that may have other things to do.
vi.setConfig({ testTimeout: 120_000 })

/** A server with a metrics page, and a user who marks everything they write. */
async function measured(env: Record<string, string> = {}, location?: StoreLocation) {
  const port = await freePort()
  const server = run(location ?? (await newStoreLocation()), { env: { ...env, ENVKEEP_METRICS_PORT: String(port) } })
  const url = await server.url()
  let cookie = ""
  const call = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      // A new connection for each request, so that every worker gets its turn.
      headers: { cookie, connection: "close", ...(body ? { "content-type": "application/json" } : {}), ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    cookie = response.headers.get("set-cookie")?.split(";")[0] ?? cookie
    return response
  }
  const make = async (path: string, body: unknown) =>
    ((await (await call("POST", path, body)).json()) as Envelope<Made>).data
  const form = {
    username: "zebra-user",
    email: "zebra-mail@example.com",
    password: "zebra-password",
    password2: "zebra-password",
  }
  await call("POST", "/users/register", form)
  await call("POST", "/users/login", { email: form.email, password: form.password })
  const collection = await make("/collection", { name: "zebra-collection", description: "zebra-description" })
  const environment = await make("/subcollection", { name: "zebra-environment", collectionId: collection.id })
  const item = await make("/collectionItem", {
    name: "ZEBRA_ITEM",
    value: "zebra-value",
    subCollectionId: environment.id,
  })
  const apiKey = await make("/api-key", { name: "zebra-key", subCollectionId: environment.id })
  const read = (headers: Record<string, string> = {}, query = "") =>
    call("GET", `/v1/variables${query}`, undefined, { authorization: `Bearer ${apiKey.key}`, ...headers })
  return {
    server,
    url,
    port,
    form,
    call,
    read,
    collection,
    environment,
    item,
    apiKey,
    metrics: () => readMetrics(port),
  }
}

test("the numbers move as requests come in", async () => {
  const { url, call, read, apiKey, form, environment, metrics } = await measured()
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

test("no name, value, id or address that a user wrote is on the page", async () => {
  const { url, call, read, collection, environment, item, apiKey, metrics } = await measured()
  await read()
  await read({}, "?zebra-query=1")
  await call("GET", `/collection/${collection.id}`)
  await call("GET", `/subcollection/${environment.id}`)
  await call("GET", `/subcollection/all/${collection.id}`)
  await call("PUT", `/collectionItem/${item.id}`, { name: "ZEBRA_ITEM", value: "zebra-changed" })
  await call("POST", `/subcollection/${environment.id}/bulk`, [{ name: "ZEBRA_ITEM", value: "zebra-bulk" }])
  await call("GET", "/v1/key", undefined, { authorization: `Bearer ${apiKey.key}` })
  await call("POST", "/collection", { name: "zebra-collection", "zebra-field": "x" })
  for (const path of [
    "/collection/zebra",
    "/zebra-path",
    "/%zzzebra",
    "/v1/variables/zebra?zebra=1",
    "/api-key/zebra%2f1",
  ]) {
    await call("GET", path)
    await call("DELETE", path)
  }
  for (const path of ["/zebra", "/zebra.js", "/assets/zebra.css", "/collection/zebra", "/%ffzebra"]) {
    await fetch(url + path, {
      headers: { "user-agent": "zebra-agent", "x-forwarded-for": "zebra", "zebra-header": "1" },
    })
  }
  await fetch(url, { method: "PROPFIND" })
  const { text, sum } = await metrics()
  expect(sum("envkeep_http_requests_total", { route: "/api/collection/{id}" })).toBeGreaterThan(0)
  expect(text).not.toMatch(/zebra/i)
  expect(text).not.toContain(apiKey.key)
  // Whatever came in, the labels are ours: a route of the contract, or one of a few words.
  const routes = new Set(Array.from(text.matchAll(/route="([^"]*)"/g), ([, route]) => route))
  for (const route of routes)
    expect(route).toMatch(/^(\/api(\/[a-z0-9-]+|\/\{id\})+|\/healthz|\/readyz|none|screen|file)$/i)
})

test("nothing else is served there, and it ends with the server", async () => {
  const { server, port } = await measured()
  for (const [method, path] of [
    ["GET", "/"],
    ["POST", "/metrics"],
    ["GET", "/metrics/"],
    ["GET", "/api/users/me"],
    ["HEAD", "/metrics"],
  ]) {
    expect((await fetch(`http://127.0.0.1:${port}${path}`, { method: method ?? "" })).status, `${method} ${path}`).toBe(
      404,
    )
  }
  server.child.kill("SIGTERM")
  expect(await server.ended).toMatchObject({ code: 0, err: "" })
  await expect(fetch(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow()
})

test("a metrics port that is taken is one sentence and exit code 69, with one process or several", async () => {
  const holder = createServer().listen(0, "127.0.0.1")
  await once(holder, "listening")
  onTestFinished(() => void holder.close())
  const { port } = holder.address() as { port: number }
  for (const workers of ["1", "2"]) {
    const env = { ENVKEEP_METRICS_PORT: String(port), ENVKEEP_WORKERS: workers }
    const ended = await run(await newStoreLocation(), { env }).ended
    expect([ended.code, ended.err]).toEqual([
      69,
      `envkeep: Port ${port} on 127.0.0.1 is already taken. Stop what uses it, or set ENVKEEP_METRICS_PORT to another one\n`,
    ])
  }
})

test("several processes show one page: counts summed, states apart, and nothing lost with a process that was replaced", async () => {
  const { server, call, metrics } = await measured({ ENVKEEP_WORKERS: "2" })
  const asked = { method: "GET", route: "/api/collection", status: "200" }
  const bothServe = async () => {
    const page = await metrics()
    for (const worker of ["0", "1", "2"]) page.value(`process_resident_memory_bytes{worker="${worker}"}`)
    expect(page.value("envkeep_workers")).toBe(2)
  }
  await vi.waitFor(bothServe, eventually)
  for (let n = 0; n < 20; n++) await (await call("GET", "/collection")).text()
  await vi.waitFor(async () => expect((await metrics()).sum("envkeep_http_requests_total", asked)).toBe(20), eventually)

  const pids = new Set(Array.from(server.output.out.matchAll(/"pid":(\d+)/g), ([, pid]) => Number(pid)))
  const [victim] = pids
  process.kill(victim ?? 0, "SIGKILL")
  await vi.waitFor(async () => expect((await metrics()).value("envkeep_worker_exits_total")).toBe(1), eventually)
  expect((await metrics()).sum("envkeep_http_requests_total", asked)).toBe(20)
  await vi.waitFor(bothServe, eventually)
  for (let n = 0; n < 10; n++) await (await call("GET", "/collection")).text()
  await vi.waitFor(async () => expect((await metrics()).sum("envkeep_http_requests_total", asked)).toBe(30), eventually)
  const page = await metrics()
  expect(page.text.match(/^envkeep_build_info/gm)).toHaveLength(1)
  expect(page.text.match(/^envkeep_attempts /gm)).toHaveLength(1)
  expect(page.text.match(/^envkeep_database_hearing\{worker="[12]"\}/gm)).toHaveLength(2)

  const guide = readFileSync(join(import.meta.dirname, "../../../docs/self-hosting.md"), "utf8")
  const listed = Array.from(guide.matchAll(/^\| `((?:envkeep|process)_[a-z_]+)` \|/gm), (match) => match[1])
  expect(listed.toSorted(), "docs/self-hosting.md lists exactly the metrics there are").toEqual(page.names.toSorted())
})

test("a lost listening connection is counted, and so is a database that cannot be reached", async () => {
  if (engine === "sqlite") return
  const location = await newStoreLocation()
  const { metrics, call } = await measured({}, location)
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

test("what the format sets apart is escaped", async () => {
  const registry = new Registry()
  const help = "a backslash \\ and\na line"
  const x = new Gauge({ name: "envkeep_x", help, labelNames: ["a"], registers: [registry] })
  x.set({ a: 'quote " backslash \\ line\n' }, Number.POSITIVE_INFINITY)
  new Gauge({ name: "envkeep_y", help, registers: [registry] }).set(Number.NEGATIVE_INFINITY)
  const text = await registry.metrics()
  expect(text).toBe(`# HELP envkeep_x a backslash \\\\ and\\na line
# TYPE envkeep_x gauge
envkeep_x{a="quote \\" backslash \\\\ line\\n"} +Inf

# HELP envkeep_y a backslash \\\\ and\\na line
# TYPE envkeep_y gauge
envkeep_y -Inf
`)
  expect(parsePage(text).names).toEqual(["envkeep_x", "envkeep_y"])
})

test("of a process that does not answer, its counts stay and its states are left out", async () => {
  const registry = new Registry()
  new Counter({ name: "a_total", help: "a", labelNames: ["of"], registers: [registry] }).inc({ of: "x" }, 2)
  new Gauge({ name: "b", help: "b", registers: [registry] }).set(5)
  const metrics = await registry.getMetricsAsJSON()
  const merged = mergeReports([
    { worker: "1", metrics },
    { worker: undefined, metrics },
  ])
  const [counts, states] = await merged.getMetricsAsJSON()
  expect(counts?.values).toEqual([{ labels: { of: "x" }, value: 4 }])
  expect(states?.values).toEqual([{ labels: { worker: "1" }, value: 5 }])
})
