import { once } from "node:events"
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { engine, newStoreLocation } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { run } from "@envkeep/testing/process.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import { adminCommand } from "../src/cli/admin.ts"
import { commands } from "../src/cli/commands.ts"

const json = { "content-type": "application/json" }

test("the first start makes a root key for this user alone, and says to back it up", async () => {
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

test("a second start finds everything as it was, also after the process was killed", async () => {
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

test("a wrong root key is one sentence and exit code 78, and nothing is touched", async () => {
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
  const migrated = nodes.filter((node) => node.output.out.includes('"applied":["001-initial"'))
  expect(migrated).toHaveLength(1)
})

test("processes that start for the first time at once in one folder share the root key that one of them makes", async () => {
  const location = await newStoreLocation()
  const nodes = Array.from({ length: 3 }, () => run(location))
  for (const url of await Promise.all(nodes.map((node) => node.url()))) {
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
  }
  expect(nodes.filter((node) => node.output.out.includes("made a new root key"))).toHaveLength(1)
  expect((await readdir(location.dataDir)).filter((name) => name.includes("root.key"))).toEqual(["root.key"])
})

test("a host that this machine does not have is one sentence and exit code 69", async () => {
  for (const host of ["192.0.2.1", "fe80::1"]) {
    const ended = await run(await newStoreLocation(), { env: { HOST: host } }).ended
    expect([ended.code, ended.err.trim().split("\n").length]).toEqual([69, 1])
    expect(ended.err).toMatch(/^envkeep: (This machine has no address|Cannot listen on port)/)
  }
})

test("wrong settings are all listed, with exit code 78", async () => {
  const ended = await run(await newStoreLocation(), { env: { PORT: "x", LOG_LEVEL: "y" } }).ended
  expect(ended).toEqual({
    code: 78,
    out: "",
    err: `envkeep: the settings are not valid:
  PORT must be a port number from 0 to 65535
  LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent
`,
  })
})

test("a port that is taken is one sentence and exit code 69", async () => {
  const holder = createServer().listen(0, "127.0.0.1")
  await once(holder, "listening")
  onTestFinished(() => void holder.close())
  const { port } = holder.address() as { port: number }
  const ended = await run(await newStoreLocation(), { env: { PORT: String(port) } }).ended
  expect([ended.code, ended.err]).toEqual([
    69,
    `envkeep: Port ${port} on 127.0.0.1 is already taken. Stop what uses it, or set PORT to another one\n`,
  ])
})

test("a data folder that cannot be written is one sentence and exit code 73", async () => {
  const location = await newStoreLocation()
  const file = join(location.dataDir, "a-file")
  await writeFile(file, "")
  for (const dataDir of [file, join(file, "below"), "/proc/envkeep"]) {
    const ended = await run({ ...location, dataDir }).ended
    expect([ended.code, ended.err]).toEqual([
      73,
      expect.stringContaining(`The data folder ${dataDir} cannot be written: `),
    ])
    expect(ended.err.trim().split("\n")).toHaveLength(1)
  }
})

test("a database that cannot be reached is one sentence without its password, and exit code 69", async () => {
  const { dataDir } = await newStoreLocation()
  const closed = createServer().listen(0, "127.0.0.1")
  await once(closed, "listening")
  const { port } = closed.address() as { port: number }
  closed.close()
  const databaseUrl = `postgres://keeper:hunter22@127.0.0.1:${port}/envkeep`
  const ended = await run({ dataDir, databaseUrl }).ended
  expect(ended).toEqual({
    code: 69,
    out: "",
    err: `envkeep: The database at 127.0.0.1:${port}/envkeep cannot be used: connect ECONNREFUSED 127.0.0.1:${port}\n`,
  })
})

test("a file that is not a database is one sentence", async () => {
  const location = { ...(await newStoreLocation()), databaseUrl: undefined }
  await writeFile(
    join(location.dataDir, "envkeep.db"),
    "this is not a database, but it is long enough to look at. ".repeat(50),
  )
  const ended = await run(location).ended
  expect([ended.code, ended.err]).toEqual([
    74,
    `envkeep: The store in ${location.dataDir} cannot be opened: file is not a database\n`,
  ])
})

test("stopping finishes the request in flight, then ends with code 0", async () => {
  const server = run(await newStoreLocation())
  const { port } = new URL(await server.url())
  const body = JSON.stringify({ username: "a", email: "a@example.com", password: "password", password2: "password" })
  const socket = connect(Number(port), "127.0.0.1")
  socket.write(
    `POST /api/users/register HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 20)}`,
  )
  await untilRefused(server, Number(port))
  socket.write(body.slice(20))

  expect(await text(socket)).toMatch(/^HTTP\/1\.1 201 Created[\s\S]*"msg":"Registered successfully"/)
  expect(await server.ended).toMatchObject({ code: 0, err: "" })
})

test("a connection that says nothing, and one that is kept, do not hold up the stop", async () => {
  const server = run(await newStoreLocation())
  const { port } = new URL(await server.url())
  const silent = connect(Number(port), "127.0.0.1")
  const kept = connect(Number(port), "127.0.0.1")
  const halfSent = connect(Number(port), "127.0.0.1")
  await Promise.all([silent, kept, halfSent].map((socket) => once(socket, "connect")))
  halfSent.write("GET /healthz HTTP/1.1\r\nhost: x\r\n")
  kept.write("GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n")
  await once(kept, "data")
  server.child.kill("SIGTERM")
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

test("the admin command works on the store of the settings", async () => {
  const location = await newStoreLocation()
  const admin = (...args: string[]) => run(location, { args: ["admin", ...args] }).ended
  if (engine === "sqlite") {
    expect(await admin("list")).toMatchObject({ code: 1, err: expect.stringContaining("There is no store in") })
  }
  const env = { ENVKEEP_ADMIN_EMAIL: "boss@example.com", ENVKEEP_ADMIN_PASSWORD: "first password" }
  await run(location, { env }).url()
  expect(await admin("list")).toEqual({ code: 0, out: "boss@example.com\n", err: "" })
  expect(await admin("revoke", "boss@example.com")).toMatchObject({ code: 0 })
  expect(await admin("list")).toEqual({ code: 0, out: "", err: "" })
  expect(await admin("crown", "x")).toMatchObject({ code: 2, err: expect.stringContaining("usage: npm run admin") })
})

test("a command that does not exist, or options it does not take, are exit code 2", async () => {
  const location = await newStoreLocation()
  const command = (...args: string[]) => run(location, { args }).ended
  expect(await command("restart")).toEqual({
    code: 2,
    out: "",
    err: "envkeep: There is no command restart. --help lists them\n",
  })
  expect(await command("doctor", "--fix")).toEqual({ code: 2, out: "", err: "envkeep: usage: npm run doctor\n" })
})

test("--help says what the server and each command do, whatever the settings are", async () => {
  const location = await newStoreLocation()
  const help = (...args: string[]) => run(location, { args: [...args, "--help"], env: { PORT: "x" } }).ended
  const [overview, ofAdmin] = await Promise.all([help(), help("admin")])
  expect(overview).toMatchObject({ code: 0, err: "" })
  for (const { name, summary } of commands) expect(overview.out).toMatch(new RegExp(`npm run ${name} +${summary}`))
  expect(ofAdmin).toMatchObject({ code: 0, err: "" })
  expect(ofAdmin.out).toContain(`usage: ${adminCommand.usage}\n`)
  expect(ofAdmin.out).toContain("reset-link <email>")
})

test("for a person, the start says where everything is and how to go on, then one line for each event", async () => {
  const location = await newStoreLocation()
  const env = { LOG_FORMAT: "text", LOG_LEVEL: "info" }
  const server = run(location, { env })
  await untilGreeted(server)
  const url = /Open +(http:\/\/localhost:\d+)\n/.exec(server.output.out)?.[1] ?? ""
  const data = engine === "sqlite" ? join(location.dataDir, "envkeep.db") : "PostgreSQL at "
  expect(server.output.out).toContain(`Data         ${data}`)
  expect(server.output.out).toContain(`Root key     ${join(location.dataDir, "root.key")}\n`)
  expect(server.output.out).toContain("Back it up, apart from the data: without it, no value can be read.\n")
  expect(server.output.out).toContain(`Register at ${url}/register`)
  expect(server.output.out).toMatch(/^\d\d:\d\d:\d\d the store is up to date: 001-initial, /m)
  const greeted = server.output.out

  expect((await fetch(`${url}/api/users/me`)).status).toBe(200)
  server.child.kill("SIGINT")
  const { code, out, err } = await server.ended
  expect([code, err]).toEqual([0, ""])
  expect(out.slice(greeted.length)).toMatch(/^\S+ stopping: .*\n\S+ stopped\n$/)

  // Not again, once there is an administrator.
  const admin = { ENVKEEP_ADMIN_EMAIL: "boss@example.com", ENVKEEP_ADMIN_PASSWORD: "first password" }
  const second = run(location, { env: { ...env, ...admin, ENVKEEP_WORKERS: "2" } })
  await untilGreeted(second)
  expect(second.output.out).not.toContain("First admin")
  second.child.kill("SIGINT")
  expect((await second.ended).out.match(/is running/g)).toHaveLength(1)
})

async function untilGreeted({ child, output }: ReturnType<typeof run>): Promise<void> {
  while (!output.out.includes("Read on")) await once(child.stdout, "data")
}

test("a command finds files from where the user called npm", async () => {
  const location = await newStoreLocation()
  const { dataDir: folder } = await newStoreLocation()
  await run(location).url()
  const backup = await run(location, { args: ["backup", "my.backup"], env: { INIT_CWD: folder } }).ended
  expect(backup).toMatchObject({ code: 0, out: expect.stringContaining(` to ${join(folder, "my.backup")}\n`) })
  expect(await readdir(folder)).toEqual(["my.backup"])
})

test("a root key that others may read is mentioned", async () => {
  const location = await newStoreLocation()
  await mkdir(location.dataDir, { recursive: true })
  await writeFile(join(location.dataDir, "root.key"), "22".repeat(32))
  await chmod(join(location.dataDir, "root.key"), 0o644)
  const server = run(location)
  await server.url()
  expect(server.output.out).toContain("root.key can be read by others")
})

test("several processes serve one port, agree on what they hold, and stop as one", async () => {
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

test("a process that dies while the others still start is replaced", async () => {
  const server = run(await newStoreLocation(), { env: { ENVKEEP_WORKERS: "2" } })
  const url = await server.url()
  expect((await fetch(`${url}/healthz`)).status).toBe(200)
  const first = Number(/"pid":(\d+)/.exec(server.output.out)?.[1])
  process.kill(first, "SIGKILL")
  const listening = () =>
    new Set(Array.from(server.output.out.matchAll(/"pid":(\d+).*Server listening at/g), ([, pid]) => Number(pid)))
  await vi.waitFor(() => expect(listening().size).toBe(3), eventually)
})

test("what keeps one process from starting keeps all of them, in one sentence", async () => {
  const holder = createServer().listen(0, "127.0.0.1")
  await once(holder, "listening")
  onTestFinished(() => void holder.close())
  const { port } = holder.address() as { port: number }
  const ended = await run(await newStoreLocation(), { env: { PORT: String(port), ENVKEEP_WORKERS: "2" } }).ended
  expect([ended.code, ended.err]).toEqual([
    69,
    expect.stringMatching(/^envkeep: Port \d+ on 127.0.0.1 is already taken.*\n$/),
  ])
})
