import { once } from "node:events"
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { engine, newStoreLocation } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { run } from "@envkeep/testing/process.ts"
import { expect, test, vi } from "vitest"

const json = { "content-type": "application/json" }

testOnce("the first start makes a root key for this user alone, and says to back it up", async () => {
  const location = await newStoreLocation()
  const server = run(location)
  const url = await server.url()
  expect((await fetch(`${url}/readyz`)).status).toBe(200)

  const file = join(location.dataDir, "root.key")
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readFile(file, "utf8")).toMatch(/^[0-9a-f]{64}\n$/)
  expect(server.output.out).toMatch(/made a new root key in .*root\.key: back it up/)
  expect(server.output.out).not.toContain((await readFile(file, "utf8")).trim())
  for (const name of await readdir(location.dataDir)) {
    expect((await stat(join(location.dataDir, name))).mode & 0o077, name).toBe(0)
  }
})

testOnce("a second start finds everything as it was, also after the process was killed", async () => {
  const location = await newStoreLocation()
  const env = { ENVKEEP_ADMIN_EMAIL: "boss@example.com", ENVKEEP_ADMIN_PASSWORD: "first password" }
  const login = (url: string, password: string) =>
    fetch(`${url}/api/users/login`, {
      method: "POST",
      headers: json,
      body: JSON.stringify({ email: "boss@example.com", password }),
    })
  const first = run(location, { env })
  expect((await login(await first.url(), "first password")).status).toBe(200)
  first.child.kill("SIGKILL")
  await first.ended

  const second = run(location, { env: { ...env, ENVKEEP_ADMIN_PASSWORD: "another password" } })
  const url = await second.url()
  expect((await login(url, "first password")).status).toBe(200)
  expect((await login(url, "another password")).status).toBe(401)
})

testOnce("a wrong root key is one sentence and exit code 78, and nothing is touched", async () => {
  const location = await newStoreLocation()
  const server = run(location)
  await server.url()
  server.child.kill("SIGTERM")
  await server.ended
  const before = await folderContent(location.dataDir)

  const wrong = await run(location, { env: { ENVKEEP_ROOT_KEY: "00".repeat(32) } }).ended
  expect(wrong).toEqual({
    code: 78,
    out: "",
    err: "envkeep: The root key does not fit this store: it was sealed with another one. Nothing was changed\n",
  })
  expect(await folderContent(location.dataDir)).toEqual(before)

  await writeFile(join(location.dataDir, "root.key"), "not a key")
  const damaged = await run(location).ended
  expect([damaged.code, damaged.err]).toEqual([78, expect.stringMatching(/^envkeep: The root key in .* is damaged: /)])

  await rm(join(location.dataDir, "root.key"))
  const missing = await run(location).ended
  expect([missing.code, missing.err]).toEqual([
    78,
    expect.stringMatching(/^envkeep: The root key of this store is missing/),
  ])
  expect(await readdir(location.dataDir)).not.toContain("root.key")
})

async function folderContent(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => !/-(wal|shm)$/.test(name))
  const contents = await Promise.all(names.map((name) => readFile(join(folder, name), "base64")))
  return Object.fromEntries(names.map((name, at) => [name, contents[at] ?? ""]))
}

test("nodes may start for the first time at once: each migration runs exactly once", async () => {
  const location = await newStoreLocation()
  const env = {
    ENVKEEP_ROOT_KEY: "11".repeat(32),
    ENVKEEP_ADMIN_EMAIL: "boss@example.com",
    ENVKEEP_ADMIN_PASSWORD: "first password",
  }
  const nodes = Array.from({ length: 3 }, () => run(location, { env }))
  for (const url of await Promise.all(nodes.map((node) => node.url()))) {
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
  }
  const migrated = nodes.filter((node) => node.output.out.includes("made the tables of a new store"))
  expect(migrated).toHaveLength(1)
})

testOnce("stopping finishes the request in flight, then ends with code 0", async () => {
  const server = run(await newStoreLocation())
  const { port } = new URL(await server.url())
  const body = JSON.stringify({
    username: "a",
    email: "a@example.com",
    password: "a good password",
    password2: "a good password",
  })
  const socket = connect(Number(port), "127.0.0.1")
  socket.write(
    `POST /api/users/register HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 20)}`,
  )
  await untilRefused(server, Number(port))
  socket.write(body.slice(20))

  expect(await text(socket)).toMatch(/^HTTP\/1\.1 201 Created[\s\S]*"msg":"Registered successfully"/)
  expect(await server.ended).toMatchObject({ code: 0, err: "" })
})

/** Asks the server to stop, and waits until it takes no more connections. */
async function untilRefused({ child }: ReturnType<typeof run>, port: number): Promise<void> {
  await fetch(`http://127.0.0.1:${port}/healthz`)
  child.kill("SIGTERM")
  for (;;) {
    const probe = connect(port, "127.0.0.1")
    const outcome = await Promise.race([
      once(probe, "connect").then(() => "open"),
      once(probe, "error").then(() => "refused"),
    ]).catch(() => "refused")
    probe.destroy()
    if (outcome === "refused") return
  }
}

testOnce("the admin command works on the store of the settings", async () => {
  const location = await newStoreLocation()
  const admin = (...args: string[]) => run(location, { args: ["admin", ...args] }).ended
  if (engine === "sqlite") {
    expect(await admin("list")).toMatchObject({ code: 1, err: expect.stringContaining("There is no store in") })
  }
  const env = { ENVKEEP_ADMIN_EMAIL: "boss@example.com", ENVKEEP_ADMIN_PASSWORD: "first password" }
  await run(location, { env }).url()
  expect(await admin("list")).toEqual({ code: 0, out: "boss@example.com\n", err: "" })
  expect(await admin("crown", "x")).toMatchObject({ code: 2, err: expect.stringContaining("usage: npm run admin") })
})

testOnce("several processes serve one port, agree on what they hold, and stop as one", async () => {
  const location = await newStoreLocation()
  const env = {
    ENVKEEP_WORKERS: "3",
    ENVKEEP_ADMIN_EMAIL: "boss@example.com",
    ENVKEEP_ADMIN_PASSWORD: "first password",
  }
  const server = run(location, { env })
  const url = await server.url()
  const listening = () => server.output.out.match(/Server listening at/g)
  await vi.waitFor(() => expect(listening()).toHaveLength(3), eventually)
  const body = JSON.stringify({ email: "boss@example.com", password: "first password" })
  const login = await fetch(`${url}/api/users/login`, { method: "POST", headers: json, body })
  const cookie = login.headers.get("set-cookie") ?? ""
  // A new connection for each request, so that every process gets its turn.
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => fetch(`${url}/api/collection`, { headers: { cookie, connection: "close" } })),
  )
  expect(answers.map((answer) => answer.status)).toEqual(Array(12).fill(200))
  server.child.kill("SIGTERM")
  expect(await server.ended).toMatchObject({ code: 0, err: "" })
})
