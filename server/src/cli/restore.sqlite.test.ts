import { copyFile, readdir, rm } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { restore } from "@envkeep/testing/commands.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { backedUp, opened } from "@envkeep/testing/restored.ts"
import { expect, test } from "vitest"
import { sqliteFile } from "../db/open.ts"

test("the log of a store whose file was moved away does not get into the restored one, and is kept", async () => {
  const { app, ann, environment, key, file: backup } = await backedUp()
  for (let n = 0; n < 50; n++) await ann.item(environment, `LATER_${n}`, "x".repeat(2_000))

  // As a machine that lost its power leaves it: the log is not folded into the file.
  const file = join(app.location.dataDir, sqliteFile)
  const log = join((await newStoreLocation()).dataDir, "log")
  await copyFile(`${file}-wal`, log)
  await app.close()
  await rm(file)
  await copyFile(log, `${file}-wal`)
  expect(await restore(app.location, backup)).toMatchObject({ exitCode: 0, err: [] })

  const database = new DatabaseSync(file)
  expect(database.prepare("pragma integrity_check").all()).toEqual([{ integrity_check: "ok" }])
  database.close()
  const again = await opened(app.location)
  expect((await again.guest.variables(key)).text).toBe('{"A":"1"}')
  expect(await readdir(app.location.dataDir)).toContainEqual(
    expect.stringMatching(/^envkeep\.db\.before-restore-\d{8}T\d{6}Z-wal$/),
  )
})
