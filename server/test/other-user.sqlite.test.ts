import { chmod, chown, readdir } from "node:fs/promises"
import { join } from "node:path"
import { backupFile } from "@envkeep/testing/commands.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { isRoot, serverUser } from "@envkeep/testing/machine/server-user.ts"
import { run } from "@envkeep/testing/process.ts"
import {
  commandOfTests,
  locationOfServerUser,
  serverOfOtherUser,
  strangeFiles,
} from "@envkeep/testing/server-of-other-user.ts"
import { expect, test, vi } from "vitest"

// The files of the embedded store, where root runs a command and the server is another user's. Every command, and every way
// to restore and upgrade, is in `other-user.sqlite.long.test.ts`.

const { wrapper } = serverUser

test("where root owns the data folder, what root's command replaces stays its user's", async () => {
  const { location, server, goesOn } = await serverOfOtherUser()
  const backup = await backupFile()
  await commandOfTests(location, ["backup", backup])
  server.child.kill("SIGTERM")
  await server.ended
  // As some give a folder to a service: by its group.
  if (isRoot) await chown(location.dataDir, 0, serverUser.gid)
  await chmod(location.dataDir, 0o770)

  await commandOfTests(location, ["rotate-root-key"])
  await commandOfTests(location, ["backup", `${backup}.2`])
  await commandOfTests(location, ["restore", `${backup}.2`, "--force"])

  await goesOn(await run(location, { wrapper }).url())
})

test("what root's start makes in the data folder of another user is that user's", async () => {
  const location = await locationOfServerUser()
  const server = run(location)
  await server.url()
  // The last file of a start is written when the server listens.
  const files = () => readdir(location.dataDir)
  await vi.waitFor(
    async () => expect(await files()).toEqual(expect.arrayContaining(["last-address", "root.key"])),
    eventually,
  )
  expect(await strangeFiles(location)).toEqual([])
  server.child.kill("SIGTERM")
  await server.ended

  const url = await run(location, { wrapper }).url()
  expect((await fetch(`${url}/readyz`)).status).toBe(200)
})

test("the doctor says how to give the server a file that root made, as earlier versions left it", async () => {
  const { location } = await serverOfOtherUser()
  const { uid, gid } = serverUser
  const file = join(location.dataDir, "root.key")
  if (isRoot) await chown(file, 0, 0)

  const { code, out } = await run(location, { args: ["doctor"] }).ended

  expect(code).toBe(0)
  const warning = `warning: The file ${file} belongs to user 0, and the data folder to user ${uid}: if the server runs as that user, run chown ${uid}:${gid} on the file`
  expect(out.split("\n").filter((line) => line.startsWith("warning"))).toEqual(isRoot ? [warning] : [])
})
