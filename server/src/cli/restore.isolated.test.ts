import type * as promises from "node:fs/promises"
import { readdir } from "node:fs/promises"
import { dirname } from "node:path"
import { restore } from "@envkeep/testing/commands.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { backedUp, copyRootKey, opened } from "@envkeep/testing/restored.ts"
import { expect, onTestFinished, test, vi } from "vitest"

const disk = vi.hoisted(() => ({
  deletesWorkFolders: true,
  /** What fails from the moment in which the restored file is given its name. */
  failing: undefined as "rename" | "sync" | undefined,
  renamedIn: undefined as string | undefined,
}))

const inputOutputError = (syscall: string) => Object.assign(new Error(`EIO, ${syscall}`), { code: "EIO", syscall })

vi.mock("node:fs/promises", async (original) => {
  const real = await original<typeof promises>()
  const rm: typeof promises.rm = async (path, options) => {
    if (!disk.deletesWorkFolders && /\/\.restore-[^/]+$/.test(String(path))) throw new Error("the folder is busy")
    await real.rm(path, options)
  }
  const rename: typeof promises.rename = async (from, to) => {
    if (/\/\.restore-[^/]+\/envkeep\.db$/.test(String(from))) {
      if (disk.failing === "rename") throw inputOutputError("rename")
      if (disk.failing === "sync") disk.renamedIn = dirname(String(to))
    }
    await real.rename(from, to)
  }
  const open: typeof promises.open = async (path, ...rest) => {
    const file = await real.open(path, ...rest)
    if (path === disk.renamedIn) file.sync = () => Promise.reject(inputOutputError("fsync"))
    return file
  }
  return { ...real, rm, rename, open }
})

function withDisk(state: Partial<typeof disk>): void {
  const before = { ...disk }
  Object.assign(disk, state)
  onTestFinished(() => void Object.assign(disk, before))
}

test("a restore that cannot delete what it no longer needs has succeeded, and says so", async () => {
  const { app, key, file } = await backedUp()
  const location = await newStoreLocation()
  await copyRootKey(app.location, location)
  withDisk({ deletesWorkFolders: false })

  expect(await restore(location, file)).toMatchObject({
    exitCode: 0,
    out: [expect.stringMatching(/^Restored 1 account, /), expect.any(String)],
    err: [expect.stringMatching(/^The folder .*\.restore-.* could not be deleted\. It is no longer needed$/)],
  })
  expect((await (await opened(location)).guest.variables(key)).text).toBe('{"A":"1"}')
})

test("a restore that the disk does not confirm says that the store is the backup's, and that this may not last", async () => {
  const { app, ann, environment, key, file } = await backedUp()
  await ann.item(environment, "LATER", "2")
  await app.close()
  withDisk({ failing: "sync" })

  expect(await restore(app.location, file, "--force")).toMatchObject({
    exitCode: 73,
    out: [
      expect.stringMatching(/^Restored 1 account, /),
      expect.any(String),
      expect.stringMatching(/^The store that was there before is kept as .*\.before-restore-/),
    ],
    err: [
      `The disk did not confirm that the restored store is in ${app.location.dataDir} (EIO). It is there now, but a power cut could undo that: check the disk, then restore once more with --force`,
    ],
  })
  expect((await (await opened(app.location)).guest.variables(key)).text).toBe('{"A":"1"}')
})

test("a restore whose file cannot get its name leaves nothing but the store that was there", async () => {
  const { app, ann, environment, key, file } = await backedUp()
  await ann.item(environment, "LATER", "2")
  await app.close()
  const before = await readdir(app.location.dataDir)
  withDisk({ failing: "rename" })

  await expect(restore(app.location, file, "--force")).rejects.toMatchObject({
    exitCode: 73,
    message: `The data folder ${app.location.dataDir} cannot be written: EIO`,
  })
  expect(await readdir(app.location.dataDir)).toEqual(before)
  expect((await (await opened(app.location)).guest.variables(key)).text).toBe('{"A":"1","LATER":"2"}')
})
