import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { allCalls } from "@envkeep/testing/all-calls.ts"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { expect, onTestFinished, vi } from "vitest"
import { addressBlock } from "./address.ts"

async function listening(options: Parameters<typeof testApp>[0] = {}) {
  const app = await testApp(options)
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  return { ...app, url, port: Number(new URL(url).port) }
}

test("a client that sends 20 MB over a real connection receives the reason for the refusal", async () => {
  const { url } = await listening()
  const send = (headers: Record<string, string>, body: string | ReadableStream) =>
    fetch(`${url}/api/users/login`, { method: "POST", headers, body, ...{ duplex: "half" } })

  const known = await send({ "content-type": "application/json" }, "x".repeat(20_000_000))
  expect([known.status, await known.json()]).toEqual([
    413,
    { error: true, msg: "The body can be at most 16 KiB", data: null },
  ])
  const pieces = ReadableStream.from(Array.from({ length: 20 }, () => new Uint8Array(1_000_000)))
  const unknown = await send({ "content-type": "application/json" }, pieces)
  expect(unknown.status).toBe(413)
  expect((await send({ "content-type": "text/plain" }, "x".repeat(20_000_000))).status).toBe(415)
})

test.each([
  ["text that is not HTTP", "hello\r\n\r\n", 400],
  ["a broken header", "GET /api/users/me HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n", 400],
  ["a request without a host", "GET /api/users/me HTTP/1.1\r\nconnection: close\r\n\r\n", 400],
  ["a request with too large headers", `GET / HTTP/1.1\r\nhost: x\r\na: ${"x".repeat(40_000)}\r\n\r\n`, 431],
])("%s is answered in the envelope", async (_, request, status) => {
  const { port } = await listening()
  const socket = connect(port, "127.0.0.1")
  socket.end(request)
  const answer = await text(socket)
  expect(answer).toContain(`HTTP/1.1 ${status} `)
  expect(JSON.parse(answer.slice(answer.indexOf("{")))).toEqual({
    error: true,
    msg: "The request could not be understood",
    data: null,
  })
})

test("an Expect header that the server does not know is ignored", async () => {
  const { port } = await listening()
  const socket = connect(port, "127.0.0.1")
  socket.end("GET /api/users/me HTTP/1.1\r\nhost: x\r\nexpect: a miracle\r\nconnection: close\r\n\r\n")
  const answer = await text(socket)
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(answer).toContain('{"error":false,"msg":"OK","data":null}')
})

test("a URL that cannot be decoded is answered in the envelope", async () => {
  const { guest } = await testApp()
  for (const url of ["/api/collection/%ff", "/api/collection/%"]) {
    expect(await guest.send({ method: "GET", url })).toMatchObject({
      status: 400,
      body: { error: true, msg: "The address is not valid", data: null },
    })
  }
})

test("a browser's write must come from our own pages", async () => {
  const { guest } = await testApp()
  const status = async (headers: Record<string, string>) =>
    (await guest.post("/users/login", {}, { host: "env.example.com", ...headers })).status
  for (const site of ["cross-site", "same-site", "nonsense"]) expect(await status({ "sec-fetch-site": site })).toBe(403)
  for (const origin of ["https://evil.example", "null", "http://env.example.com:8080", "nonsense"]) {
    expect(await status({ origin })).toBe(403)
  }
  expect(await status({ origin: "http://env.example.com", "sec-fetch-site": "cross-site" })).toBe(403)

  expect(await status({})).toBe(400)
  expect(await status({ "sec-fetch-site": "same-origin" })).toBe(400)
  expect(await status({ "sec-fetch-site": "none" })).toBe(400)
  expect(await status({ origin: "http://env.example.com" })).toBe(400)

  const refused = await guest.post("/users/login", {}, { "sec-fetch-site": "cross-site" })
  expect(refused.body.msg).toBe("This request came from another site and was refused")
  expect((await guest.get("/users/me", { "sec-fetch-site": "cross-site" })).status).toBe(200)
})

test("if the public URL is set, only it is our origin", async () => {
  const { guest } = await testApp({ env: { PUBLIC_URL: "https://env.example.com" } })
  const status = async (origin: string) => (await guest.post("/users/login", {}, { origin, host: "10.0.0.5" })).status
  expect(await status("https://env.example.com")).toBe(400)
  expect(await status("http://env.example.com")).toBe(403)
  expect(await status("http://10.0.0.5")).toBe(403)
})

test("every answer has security headers, and no answer of the API may be cached", async () => {
  const { guest } = await testApp()
  for (const path of ["/users/me", "/collection", "/nothing", "/docs"]) {
    const { headers } = await guest.get(path)
    expect(headers).toMatchObject({
      "x-content-type-options": "nosniff",
      "cross-origin-opener-policy": "same-origin",
      "cache-control": "no-store",
    })
    expect(headers["content-security-policy"]).toMatch(/default-src 'self';.*frame-ancestors 'none'/)
    expect(headers["content-security-policy"]).not.toMatch(/script-src|unsafe-eval/)
    expect(headers["x-powered-by"]).toBeUndefined()
  }
  expect((await guest.get("/v1/variables")).headers).toMatchObject({
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  })
})

test("a caller that sends too many requests is slowed down, and no other caller is", async () => {
  const app = await testApp({ requestsPerMinute: 50 })
  const [ann, bob] = [await app.user(), await app.user()]
  const statuses = []
  for (let n = 0; n < 51; n++) statuses.push((await ann.get("/collection")).status)
  expect(statuses.slice(0, 50)).toEqual(Array(50).fill(200))
  const refused = await ann.get("/collection")
  expect(refused).toMatchObject({
    status: 429,
    body: { error: true, msg: "Too many requests. Please slow down and try again in a minute", data: null },
  })
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0)
  expect((await bob.get("/collection")).status).toBe(200)
  expect((await app.guest.get("/users/me")).status).toBe(200)
})

test("requests with valid and invalid keys from one address share one limit", async () => {
  const app = await testApp({ requestsPerMinute: 20 })
  const ann = await app.user()
  const { key } = await ann.apiKey(await ann.environment())
  for (let n = 0; n < 20; n++) expect((await app.guest.variables("ek_bad")).status).toBe(401)
  expect((await app.guest.variables("ek_bad")).status).toBe(429)
  expect((await app.guest.get("/v1/key", { authorization: `Bearer ${key}` })).status).toBe(429)
  expect((await ann.get("/collection")).status).toBe(200)
})

test("no spelling of a URL makes an answer of the API cacheable, or returns a page in place of one", async () => {
  const { app, url, port } = await listening({ webDir: await emptyScreens() })
  const request = async (target: string) => {
    const socket = connect(port, "127.0.0.1")
    socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
    return text(socket)
  }
  for (const spelling of ["/api/v1/variables", "/%61pi/v1/variables", `${url}/api/v1/variables`, "/api/users/me"]) {
    expect(await request(spelling)).toMatch(/cache-control: no-store/)
  }
  for (const spelling of ["/api/nothing", "/%61pi/nothing", `${url}/api/nothing`, "/api"]) {
    expect(await request(spelling)).toMatch(/^HTTP\/1\.1 404 [\s\S]*"There is nothing at this address"/)
  }
  expect(await request("/collection/5")).toMatch(/^HTTP\/1\.1 200 /)
  expect(app.server.listening).toBe(true)
})

async function emptyScreens(): Promise<string> {
  const webDir = await mkdtemp(join(tmpdir(), "envkeep-web-"))
  onTestFinished(() => rm(webDir, { recursive: true, force: true }))
  await writeFile(join(webDir, "index.html"), "<h1>Envkeep</h1>")
  return webDir
}

test("a compressed body is refused", async () => {
  const { guest } = await testApp()
  const answer = await guest.post("/users/login", {}, { "content-encoding": "gzip" })
  expect(answer).toMatchObject({ status: 415, body: { msg: "The body must be sent uncompressed" } })
})

test("the document of the API lists every call, for machines and for people", async () => {
  const { guest } = await testApp()
  const document = JSON.parse((await guest.get("/openapi.json")).text)
  const listed = Object.entries<object>(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const declared = allCalls.map(({ method, path }) => `${method} /api${path}`)
  expect(listed.toSorted()).toEqual(declared.toSorted())
  expect(document.openapi).toBe("3.1.0")
  const bulk = document.paths["/api/subcollection/{id}/bulk"].post
  expect(bulk.requestBody.content["application/json"].schema.type).toBe("array")
  expect(bulk.parameters).toMatchObject([
    { name: "id", in: "path", required: true },
    { name: "revision", in: "query", schema: { type: "integer" } },
    { name: "note", in: "query", schema: { type: "string" } },
  ])

  const page = await guest.get("/docs")
  expect(page.headers["content-type"]).toBe("text/html; charset=utf-8")
  expect(page.text).toContain("/api/subcollection/{id}/bulk")
  expect(page.text).not.toContain("<script")
})

test("the health check covers the process, the readiness check also the database", async () => {
  const app = await testApp()
  const get = (url: string) => app.guest.send({ method: "GET", url })
  expect(await get("/healthz")).toMatchObject({ status: 200, body: { status: "ok" } })
  expect(await get("/readyz")).toMatchObject({ status: 200, body: { status: "ok" } })
  await app.db.destroy()
  expect(await get("/healthz")).toMatchObject({ status: 200 })
  expect(await get("/readyz")).toMatchObject({ status: 503, body: { status: "unavailable" } })
})

test.each([
  ["203.0.113.5", "203.0.113.5"],
  ["::ffff:203.0.113.5", "203.0.113.5"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8::5", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["::ffff:cb00:7105", "203.0.113.5"],
  ["2001:0DB8:0001:2::", "2001:db8:1:2::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
  ["not an address", "unknown"],
  ["0x7f.1", "unknown"],
])("%s counts as %s", (address, block) => {
  expect(addressBlock(address)).toBe(block)
})

test("texts of a request that cannot be decoded are not tried one by one", async () => {
  const { guest, user } = await testApp()
  const ann = await user()
  const { key } = await ann.apiKey(await ann.environment())
  const read = (query: string) => guest.send({ method: "GET", url: `/api/v1/variables?${query}`, headers: bearer(key) })
  const decode = vi.spyOn(globalThis, "decodeURIComponent")
  onTestFinished(() => decode.mockRestore())
  expect((await read("%=&".repeat(4_000))).status).toBe(200)
  const cookie = Array.from({ length: 1_000 }, (_, n) => `${n}=%`).join(";")
  expect((await guest.send({ method: "GET", url: "/api/users/me", headers: { cookie } })).status).toBe(200)
  expect(decode.mock.calls.length).toBeLessThan(10)
  // Of known fields, everything matters.
  for (const query of ["format=%ff", "format=%", "form%61t=%c3", "a=1&format=js%fon", "%&format=%ff"]) {
    expect((await read(query)).status).toBe(400)
  }
  for (const query of ["x=%ff", "%ff=%ff", "format=%6Ason", "x=%C3%A9&format=json"]) {
    expect((await read(query)).status).toBe(200)
  }
})

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
