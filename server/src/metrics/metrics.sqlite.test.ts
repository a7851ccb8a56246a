import { once } from "node:events"
import { createServer } from "node:http"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { run } from "@envkeep/testing/process.ts"
import { parsePage } from "@envkeep/testing/prometheus.ts"
import { serverWithMetrics } from "@envkeep/testing/server-with-metrics.ts"
import { Counter, Gauge, Registry } from "prom-client"
import { expect, onTestFinished, test } from "vitest"
import { mergeReports } from "./merge-reports.ts"

// Real processes start one after the other, on machines that may have other things to do.
// What is the same on either engine.

test("no name, value, id or address that a user wrote is on the page", async () => {
  const { url, call, read, collection, environment, item, apiKey, metrics } = await serverWithMetrics()
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
  const { server, port } = await serverWithMetrics()
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
