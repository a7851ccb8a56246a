import { chmod, chown, copyFile, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { backupFile } from "@envkeep/testing/commands.ts"
import { isRoot, serverUser } from "@envkeep/testing/machine/server-user.ts"
import { run } from "@envkeep/testing/process.ts"
import {
  commandOfTests,
  giveToServerUser,
  locationOfServerUser,
  serverOfOtherUser,
  strangeFiles,
} from "@envkeep/testing/server-of-other-user.ts"
import { expect, test } from "vitest"
import { commands } from "../src/cli/commands.ts"

// The files of the embedded store, where root runs a command and the server is another user's.

const { wrapper } = serverUser
const fixture = join(import.meta.dirname, "../../testing/fixtures/store-0.1.0")

test("the server starts on a store that root has restored, whether there was one before, a damaged one or none", async () => {
  const { location, server, goesOn } = await serverOfOtherUser()
  const { dataDir } = location
  const file = join(dataDir, "envkeep.db")
  await goesOn()
  const backup = await backupFile()
  await commandOfTests(location, ["backup", backup])
  server.child.kill("SIGKILL")
  await server.ended

  await commandOfTests(location, ["restore", backup, "--force"])
  expect(await strangeFiles(location)).toEqual([])
  expect(await readdir(dataDir)).toContainEqual(expect.stringMatching(/^envkeep\.db\.before-restore-/))

  for (const name of await readdir(dataDir)) if (name.startsWith("envkeep.db")) await rm(join(dataDir, name))
  await commandOfTests(location, ["restore", backup])
  expect(await strangeFiles(location)).toEqual([])
  expect((await readdir(dataDir)).toSorted()).toEqual(["envkeep.db", "root.key"])

  await copyFile(join(dataDir, "root.key"), file)
  await commandOfTests(location, ["restore", backup, "--force"])
  expect(await strangeFiles(location)).toEqual([])

  await goesOn(await run(location, { wrapper }).url())
})

test.runIf(isRoot)("a restore by a user who may not open the store says so, and replaces nothing", async () => {
  const { location, server, goesOn } = await serverOfOtherUser()
  const file = join(location.dataDir, "envkeep.db")
  await goesOn()
  const backup = await backupFile()
  await giveToServerUser(dirname(backup))
  expect(await run(location, { args: ["backup", backup], wrapper }).ended).toMatchObject({ code: 0 })
  server.child.kill("SIGTERM")
  await server.ended
  await chown(file, 0, 0)

  const { code, err } = await run(location, { args: ["restore", backup, "--force"], wrapper }).ended

  expect([code, err]).toEqual([
    73,
    `envkeep: This user may not read and write ${file}, so it cannot be seen whether a server is running on it. Nothing was changed; restore as the user of the server, or give them the file\n`,
  ])
  await chown(file, serverUser.uid, serverUser.gid)
  await goesOn(await run(location, { wrapper }).url())
})

test("a restored store keeps the mode of the one that it replaces", async () => {
  const { location, server } = await serverOfOtherUser()
  const file = join(location.dataDir, "envkeep.db")
  const backup = await backupFile()
  await commandOfTests(location, ["backup", backup])
  server.child.kill("SIGTERM")
  await server.ended
  await chmod(file, 0o640)

  await commandOfTests(location, ["restore", backup, "--force"])

  expect((await stat(file)).mode & 0o777).toBe(0o640)
})

test.each([
  ["a start", []],
  ["a command", ["admin", "list"]],
  ["a rotation", ["rotate-root-key"]],
])("%s by root that brings an earlier store up to date leaves all files to their user", async (_, args) => {
  const location = await locationOfServerUser()
  for (const name of ["envkeep.db", "root.key"]) {
    await copyFile(join(fixture, name), join(location.dataDir, name))
    await chmod(join(location.dataDir, name), 0o600)
  }
  await giveToServerUser(location.dataDir)

  const process = run(location, { args })
  if (args.length === 0) {
    await process.url()
    expect(await readdir(join(location.dataDir, "backups"))).toHaveLength(1)
    expect(await strangeFiles(location)).toEqual([])
    process.child.kill("SIGTERM")
  }
  expect((await process.ended).code).toBe(0)

  expect(await strangeFiles(location)).toEqual([])
  const url = await run(location, { wrapper }).url()
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
})

// SQLite makes its log for a command only if no server runs.
test.each(["runs", "is stopped"])("root's commands leave a server that %s its files", async (how) => {
  const { location, server, goesOn } = await serverOfOtherUser()
  if (how === "is stopped") {
    server.child.kill("SIGTERM")
    await server.ended
  }
  const backup = await backupFile()
  const calls = [
    ["admin", "grant", "ann@example.com"],
    ["admin", "list"],
    ["backup", backup],
    ["doctor"],
    ["rotate-root-key"],
    ["verify-audit"],
    ["verify-audit", "--backup", backup],
  ]
  // A restore needs a server that is stopped, and has a test of its own.
  const called = new Set(["restore", ...calls.map(([name]) => name)])
  expect(called).toEqual(new Set(commands.map(({ name }) => name)))

  for (const args of calls) {
    await commandOfTests(location, args)
    expect([args, await strangeFiles(location)]).toEqual([args, []])
  }

  if (how === "runs") await goesOn()
  else await goesOn(await run(location, { wrapper }).url())
})

test("a backup is of the user who runs the command; in a folder of the server's user, it is of that user", async () => {
  const { location } = await serverOfOtherUser()
  const elsewhere = await backupFile()
  const ofServer = await backupFile()
  await giveToServerUser(dirname(ofServer))

  for (const file of [elsewhere, ofServer]) await commandOfTests(location, ["backup", file])

  const ownerAndMode = async (file: string) => {
    const { uid, gid, mode } = await stat(file)
    return [uid, gid, mode & 0o777]
  }
  expect(await ownerAndMode(elsewhere)).toEqual([process.getuid?.(), process.getgid?.(), 0o600])
  expect(await ownerAndMode(ofServer)).toEqual([serverUser.uid, serverUser.gid, 0o600])
})

test("a data folder that root's start makes is root's, also within a folder of another user", async () => {
  const around = await locationOfServerUser()
  const dataDir = join(around.dataDir, "data")
  await run({ ...around, dataDir }).url()
  for (const name of ["", ...(await readdir(dataDir))]) {
    expect([name, (await stat(join(dataDir, name))).uid]).toEqual([name, process.getuid?.()])
  }
})

test.runIf(isRoot)(
  "the doctor says that a folder of backups is root's, which keeps the server from any upgrade",
  async () => {
    const { location } = await serverOfOtherUser()
    const { uid, gid } = serverUser
    const folder = join(location.dataDir, "backups")
    await mkdir(folder, { mode: 0o700 })
    await writeFile(join(folder, "before-031.backup"), "", { mode: 0o600 })
    const problems = async (wrapper: string[]) => {
      const { code, out } = await run(location, { args: ["doctor"], wrapper }).ended
      return [code, ...out.split("\n").filter((line) => /^(warning|fault)/.test(line))]
    }
    const warningOf = (what: string, path: string) =>
      `warning: The ${what} ${path} belongs to user 0, and the data folder to user ${uid}: if the server runs as that user, run chown ${uid}:${gid} on the ${what}`

    expect(await problems([])).toEqual([
      0,
      warningOf("folder", folder),
      warningOf("file", join(folder, "before-031.backup")),
    ])
    expect(await problems(wrapper)).toEqual([
      1,
      `fault: The folder ${folder} cannot be read by this user, so no upgrade can start`,
      warningOf("folder", folder),
    ])
  },
)
