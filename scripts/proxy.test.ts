import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { connect } from "node:http2"
import { type RequestOptions, request } from "node:https"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { limits } from "@envkeep/contract"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { findNginx } from "@envkeep/testing/machine/nginx.ts"
import { run } from "@envkeep/testing/process.ts"
import { expect, onTestFinished, test, vi } from "vitest"

const name = "env.example.com"
const origin = `https://${name}`
const read = (path: string) => readFileSync(join(import.meta.dirname, "..", path), "utf8")

async function proxied() {
  const server = run(await newStoreLocation(), { env: { PUBLIC_URL: origin, ENVKEEP_TRUST_PROXY: "true" } })
  const { port } = new URL(await server.url())
  return { server, ...(await proxyOf(port)) }
}

/** `deploy/nginx.conf` as it is, except for ports, files, the server's address and what `change` changes. */
async function proxyOf(port: string, change = (site: string) => site) {
  const nginx = findNginx()
  if (nginx === undefined) throw new Error("The tests need nginx: install it (nginx-light)")
  const folder = mkdtempSync(join(tmpdir(), "envkeep-proxy-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const ca = certificate(folder)
  const [http, https] = [await freePort(), await freePort()]
  const site = read("deploy/nginx.conf")
    .replaceAll(/^.*\[::\].*$/gm, "")
    .replace("listen 80;", `listen 127.0.0.1:${http};`)
    .replace("listen 443 ssl", `listen 127.0.0.1:${https} ssl`)
    .replace("server 127.0.0.1:3000;", `server 127.0.0.1:${port};`)
    .replaceAll("/etc/ssl/envkeep", folder)
    .replace("/var/log/nginx", folder)
  writeFileSync(join(folder, "nginx.conf"), around(change(site), folder))
  const child = spawn(nginx, ["-p", folder, "-c", join(folder, "nginx.conf"), "-e", join(folder, "error.log")])
  onTestFinished(async () => {
    const ended = once(child, "exit")
    child.kill("SIGTERM")
    await ended
  })
  const errors = () => readFileSync(join(folder, "error.log"), "utf8")
  await vi
    .waitFor(() => fetch(`http://127.0.0.1:${http}/`, { redirect: "manual" }), eventually)
    .catch(() => {
      throw new Error(`nginx does not answer: ${errors()}`)
    })
  return { http, https, ca, log: () => readFileSync(join(folder, "envkeep.log"), "utf8") }
}

function certificate(folder: string): string {
  const files = ["-keyout", join(folder, "privkey.pem"), "-out", join(folder, "fullchain.pem")]
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"]
  const made = spawnSync("openssl", [
    "req",
    ...kind,
    ...files,
    "-subj",
    `/CN=${name}`,
    "-addext",
    `subjectAltName=DNS:${name}`,
  ])
  if (made.status !== 0) throw new Error(`The tests need openssl: ${made.stderr ?? "install it"}`)
  return readFileSync(join(folder, "fullchain.pem"), "utf8")
}

function around(site: string, folder: string): string {
  // As root, nginx would run its worker as another user, which cannot read a temporary folder.
  const user = process.getuid?.() === 0 ? "user root;" : ""
  const folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder};`)
  return `daemon off; worker_processes 1; pid ${folder}/nginx.pid; ${user}
events { worker_connections 256; }
http { ${folders.join(" ")}
${site}
}`
}

const watchPath = "/api/v1/variables/watch"

/** Stands in for the server: answers with the headers that it gets, except for a watch, whose answer goes on. */
async function echoing(): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === watchPath) response.write("open")
    else response.end(JSON.stringify(request.headers))
  })
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server.listen(0, "127.0.0.1"), "listening")
  return String((server.address() as AddressInfo).port)
}

test("nginx collects a body that comes in chunks of a byte, and passes it on with its length", async () => {
  const { https, ca } = await proxyOf(await echoing())
  const headers = { host: name, "transfer-encoding": "chunked" }
  const asked = request({ host: "127.0.0.1", port: https, servername: name, ca, method: "POST", headers })
  for (let sent = 0; sent < 2_000; sent++) asked.write(" ")
  asked.end()
  const [answer] = await once(asked, "response")
  const received = JSON.parse(await text(answer))
  expect([received["content-length"], received["transfer-encoding"]]).toEqual(["2000", undefined])
})

test("nginx bounds the connections and the requests of one address", async () => {
  const { https, ca } = await proxyOf(await echoing(), (site) => {
    const lower = site
      .replace("limit_conn envkeep_connections 1000;", "limit_conn envkeep_connections 2;")
      .replace("rate=1000r/s;", "rate=1r/m;")
      .replace("burst=1000 nodelay;", "burst=3 nodelay;")
    expect(lower).not.toBe(site)
    return lower
  })
  const statusOf = async (path: string, localAddress: string) => {
    const options = {
      host: "127.0.0.1",
      port: https,
      servername: name,
      ca,
      path,
      localAddress,
      headers: { host: name },
    }
    const [answer] = await once(request(options).end(), "response")
    return answer.statusCode
  }
  expect(await statusOf(watchPath, "127.0.0.2")).toBe(200)
  expect(await statusOf(watchPath, "127.0.0.2")).toBe(200)
  expect(await statusOf("/", "127.0.0.2")).toBe(429)
  expect(await statusOf("/", "127.0.0.3")).toBe(200)

  for (let left = 3; left > 0; left--) expect(await statusOf("/", "127.0.0.3")).toBe(200)
  expect(await statusOf("/", "127.0.0.3")).toBe(429)
  expect(await statusOf("/", "127.0.0.4")).toBe(200)
})

test("deploy/nginx.conf has the settings that docs/self-hosting.md names", () => {
  const site = read("deploy/nginx.conf")
  const [, after = ""] = read("docs/self-hosting.md").split("These settings of\n`deploy/nginx.conf` stop them:")
  const [table = ""] = after.split("\nFor Caddy")
  const settings = [...table.matchAll(/^\| (`.*`) \|/gm)].flatMap(([, names = ""]) => names.match(/\w+/g) ?? [])
  expect(settings).toContain("limit_conn")
  for (const setting of settings) expect(site).toMatch(new RegExp(`^    ${setting} .*;$`, "m"))
})

test("behind nginx with TLS everything works as without it, and the server sees the visitor's address", async () => {
  const { server, http, https, ca, log } = await proxied()
  const moved = await fetch(`http://127.0.0.1:${http}/login?a=b`, { redirect: "manual" })
  expect([moved.status, moved.headers.get("location")]).toEqual([301, `${origin}/login?a=b`])

  let cookie = ""
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const payload = body === undefined ? undefined : JSON.stringify(body)
    const options: RequestOptions = {
      ...{ host: "127.0.0.1", port: https, servername: name, ca, method, path, localAddress: "127.0.0.2" },
      // An address that the visitor claims must not count.
      headers: { host: name, origin, cookie, "x-forwarded-for": "203.0.113.9", ...headers },
    }
    const asked = request(options)
    if (payload !== undefined) asked.setHeader("content-type", "application/json")
    asked.end(payload)
    const [answer] = await once(asked, "response")
    return answer
  }
  const data = async (method: string, path: string, body?: unknown) => {
    const answer = await send(method, path, body)
    return { status: answer.statusCode, headers: answer.headers, ...JSON.parse(await text(answer)) }
  }
  const form = { username: "ann", email: "ann@example.com", password: "long enough", password2: "long enough" }
  await data("POST", "/api/users/register", form)
  const login = await data("POST", "/api/users/login", { email: form.email, password: form.password })
  const cookies: string[] = login.headers["set-cookie"]
  expect(cookies.find((one) => one.startsWith("__Host-"))).toMatch(/; Secure/)
  expect(login.headers["strict-transport-security"]).toBeDefined()
  cookie = cookies.map((one) => one.split(";")[0]).join("; ")
  await vi.waitFor(() => expect(server.output.out).toContain('"route":"/api/users/login","status":200'), eventually)
  expect(server.output.out).toContain('"address":"127.0.0.2"')
  expect(server.output.out).not.toContain("203.0.113.9")

  const collection = await data("POST", "/api/collection", { name: "app" })
  const environment = await data("POST", "/api/subcollection", { name: "production", collectionId: collection.data.id })
  const key = await data("POST", "/api/api-key", { name: "ci", subCollectionId: environment.data.id })
  const bulk = `/api/subcollection/${environment.data.id}/bulk`
  const values = (bytes: number) =>
    Array.from({ length: Math.ceil(bytes / 60_000) }, (_, n) => ({ name: `V${n}`, value: "x".repeat(60_000) }))
  expect(await data("POST", bulk, values(3 * 2 ** 20))).toMatchObject({ status: 200 })
  // Envkeep refuses what is over its limit, nginx what is far over it.
  expect(await data("POST", bulk, values(limits.bulkBodyBytes))).toMatchObject({ status: 413, error: true })
  expect((await send("POST", bulk, values(20 * 2 ** 20)).catch(() => ({ statusCode: 413 }))).statusCode).toBe(413)

  const authorization = `Bearer ${key.data.key}`
  const first = await send("GET", "/api/v1/variables", undefined, { authorization })
  expect([first.statusCode, (await text(first)).length]).toEqual([200, expect.any(Number)])
  const held = { authorization, "if-none-match": first.headers.etag }
  expect((await send("GET", "/api/v1/variables", undefined, held)).statusCode).toBe(304)

  const stream = await send("GET", watchPath, undefined, { authorization })
  stream.setEncoding("utf8")
  const [hello] = await once(stream, "data")
  expect(hello).toContain("event: revision")
  await data("POST", bulk, [{ name: "A", value: "1" }])
  const [change] = await once(stream, "data")
  expect(change).toContain("event: revision")
  stream.destroy()

  const session = connect(`https://127.0.0.1:${https}`, { servername: name, ca })
  const two = session.request({ ":path": "/api/v1/variables", ":authority": name, authorization })
  const [head] = await once(two, "response")
  expect([head[":status"], await text(two)]).toEqual([200, '{"A":"1"}'])
  session.close()

  await vi.waitFor(() => expect(log()).toContain("GET /api/v1/variables 304"), eventually)
  for (const hidden of [key.data.key, cookie.split("=")[1] ?? "", form.email, form.password]) {
    expect(log()).not.toContain(hidden)
  }
})
