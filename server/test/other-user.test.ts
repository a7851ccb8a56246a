import { chown, readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { isRoot, serverUser } from "@envkeep/testing/machine/server-user.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { run } from "@envkeep/testing/process.ts"
import { commandOfTests, serverOfOtherUser, strangeFiles } from "@envkeep/testing/server-of-other-user.ts"
import { expect } from "vitest"

// An operator is often root, and the server is not. What root's commands leave in its data folder, it must be able to use.
// What concerns more files than the root key is in `other-user.sqlite.test.ts`.

const { wrapper } = serverUser

test("after root has replaced the root key, the server of another user goes on, and starts again", async () => {
  const { location, server, goesOn } = await serverOfOtherUser()

  await commandOfTests(location, ["rotate-root-key"])

  expect(await strangeFiles(location)).toEqual([])
  await goesOn()
  server.child.kill("SIGTERM")
  await server.ended
  await goesOn(await run(location, { wrapper }).url())
})

test("a next root key that is root's does not stay so when it replaces the present one", async () => {
  const { location, goesOn } = await serverOfOtherUser()
  const rootKey = (await readFile(join(location.dataDir, "root.key"), "utf8")).trim()
  await commandOfTests(location, ["rotate-root-key"], { ENVKEEP_ROOT_KEY: rootKey })
  expect(await readdir(location.dataDir)).toContain("root.key.next")
  expect(await strangeFiles(location)).toEqual([])

  if (isRoot) await chown(join(location.dataDir, "root.key.next"), 0, 0)
  await commandOfTests(location, ["rotate-root-key"])

  expect(await strangeFiles(location)).toEqual([])
  await goesOn()
})
