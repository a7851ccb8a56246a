import { copyFile, readdir } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { testApp } from "@envkeep/testing/app.ts"
import { callCommand, verifyAudit } from "@envkeep/testing/commands.ts"
import { newStoreLocation, type StoreLocation } from "@envkeep/testing/database.ts"
import { copyRootKey, opened } from "@envkeep/testing/restored.ts"
import { beforeAll, expect, test } from "vitest"
import { sqliteFile } from "../db/open.ts"
import { doctorCommand } from "./doctor.ts"

// As in the server's own process: what it makes in the data folder is private.
beforeAll(() => {
  const before = process.umask(0o077)
  return () => void process.umask(before)
})

test("what a killed command has left half done is undone by whatever reads the store next", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "A", "1")
  const { key } = await ann.apiKey(environment)
  await app.close()

  const halfDone = await killedWhileChanging(app.location)
  expect(await readdir(halfDone.dataDir)).toContain(`${sqliteFile}-journal`)
  const { exitCode, out } = await callCommand(doctorCommand, halfDone)
  expect([exitCode, out.filter((line) => !line.startsWith("ok: "))]).toEqual([0, ["All is well"]])
  expect((await (await opened(halfDone)).guest.variables(key)).text).toBe('{"A":"1"}')

  expect(await verifyAudit(await killedWhileChanging(app.location))).toMatchObject({ exitCode: 0 })
})

/** A copy of the store, as a process without a log leaves it that is killed after half of a change is in the file. */
async function killedWhileChanging(location: StoreLocation): Promise<StoreLocation> {
  const file = join(location.dataDir, sqliteFile)
  const database = new DatabaseSync(file)
  // With so little memory, the change is written before its commit.
  database.exec("pragma journal_mode = delete; pragma cache_size = 1; begin immediate")
  database.exec("update item set name = 'half done'; update migration set name = 'half done ' || name")
  database.exec("create table half_done as select randomblob(100000) as content")
  const copy = { ...location, dataDir: (await newStoreLocation()).dataDir }
  for (const part of ["", "-journal"]) await copyFile(`${file}${part}`, join(copy.dataDir, `${sqliteFile}${part}`))
  await copyRootKey(location, copy)
  database.exec("rollback")
  database.close()
  return copy
}
