import type * as promises from "node:fs/promises"
import { restore } from "@envkeep/testing/commands.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { backedUp, copyRootKey, opened } from "@envkeep/testing/restored.ts"
import { expect, test, vi } from "vitest"

// A disk that does not delete the folder in which a restore works.
vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof promises>()
  const rm: typeof promises.rm = async (path, options) => {
    if (/\/\.restore-[^/]+$/.test(String(path))) throw new Error("the folder is busy")
    await real.rm(path, options)
  }
  return { ...real, rm }
})

test("a restore that cannot delete what it no longer needs has succeeded, and says so", async () => {
  const { app, key, file } = await backedUp()
  const location = await newStoreLocation()
  await copyRootKey(app.location, location)

  expect(await restore(location, file)).toMatchObject({
    exitCode: 0,
    out: [expect.stringMatching(/^Restored 1 account, /), expect.any(String)],
    err: [expect.stringMatching(/^The folder .*\.restore-.* could not be deleted\. It is no longer needed$/)],
  })
  expect((await (await opened(location)).guest.variables(key)).text).toBe('{"A":"1"}')
})
