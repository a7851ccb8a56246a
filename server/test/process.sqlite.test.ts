import { once } from "node:events"
import { chmod, mkdir, readdir, writeFile } from "node:fs/promises"
import { connect, createServer } from "node:net"
import { join } from "node:path"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { run } from "@envkeep/testing/process.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import { adminCommand } from "../src/cli/admin.ts"
import { commands } from "../src/cli/commands.ts"

// How the process starts, speaks and stops. None of this depends on the engine; what does is in `main.test.ts`.

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
  expect(server.output.out).toContain(`Data         ${join(location.dataDir, "envkeep.db")}`)
  expect(server.output.out).toContain(`Root key     ${join(location.dataDir, "root.key")}\n`)
  expect(server.output.out).toContain("Back it up, apart from the data: without it, no value can be read.\n")
  expect(server.output.out).toContain(`Register at ${url}/register`)
  expect(server.output.out).toContain("Or set ENVKEEP_ADMIN_EMAIL and ENVKEEP_ADMIN_PASSWORD, and start again.\n")
  expect(server.output.out).toMatch(/^\d\d:\d\d:\d\d made the tables of a new store$/m)
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

async function untilGreeted({ child, ended, output }: ReturnType<typeof run>): Promise<void> {
  while (!output.out.includes("Read on")) {
    const early = await Promise.race([once(child.stdout, "data").then(() => undefined), ended])
    if (early !== undefined) throw new Error(`the server ended early:\n${early.out}${early.err}`)
  }
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
