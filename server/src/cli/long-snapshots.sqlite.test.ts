import { statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { testApp } from "@envkeep/testing/app.ts"
import { backUp, backupFile, callCommand } from "@envkeep/testing/commands.ts"
import { expect, onTestFinished, test } from "vitest"
import { sqliteFile } from "../db/open.ts"
import { doctorCommand } from "./doctor.ts"

// SQLite's log grows as long as a snapshot is read. After a backup, the next writer must not have to fold it into the file.

test("a backup ends with what was written during it in the file", async () => {
  const app = await testApp()
  const ann = await app.user()
  const file = join(app.location.dataDir, sqliteFile)
  const environment = await ann.environment()
  const before = statSync(file).size
  await ann.item(environment, "LONG", "x".repeat(60_000))
  expect(statSync(file).size).toBe(before)
  expect(await backUp(app.location, await backupFile())).toMatchObject({ exitCode: 0 })
  expect(statSync(file).size).toBeGreaterThan(before + 60_000)
})

test("a backup that fails ends with it in the file too", async () => {
  const app = await testApp()
  const ann = await app.user()
  const file = join(app.location.dataDir, sqliteFile)
  const environment = await ann.environment()
  const before = statSync(file).size
  await ann.item(environment, "LONG", "x".repeat(60_000))
  const taken = await backupFile()
  const backup = backUp(app.location, taken, ({ query }) => {
    if (query.sql.startsWith('select * from "item" ')) writeFileSync(taken, "of another process")
  })
  await expect(backup).rejects.toMatchObject({ exitCode: 1 })
  expect(statSync(file).size).toBeGreaterThan(before + 60_000)
})

test("the doctor reads rows without a snapshot of all of them", async () => {
  const { location, beside } = await writtenStore()
  const isHeld: unknown[] = []
  const { exitCode } = await callCommand(doctorCommand, location, {
    logQuery({ query: { sql } }) {
      if (!sql.startsWith('select * from "item" ')) return
      isHeld.push(beside.prepare("pragma wal_checkpoint(truncate)").get()?.["busy"])
    },
  })
  expect([exitCode, isHeld]).toEqual([0, [0, 0]])
})

/** A store that another process writes to, and how large its file is. */
async function writtenStore() {
  const app = await testApp()
  const ann = await app.user()
  await ann.item(await ann.environment())
  // Its jobs write too. This thread cannot wait for their turn to end, because they run on it.
  await app.close()
  const file = join(app.location.dataDir, sqliteFile)
  const beside = new DatabaseSync(file)
  onTestFinished(() => beside.close())
  // It folds nothing itself.
  beside.exec("pragma wal_autocheckpoint = 0")
  const write = beside.prepare(
    "insert into attempt (bucket, count, resets_at) values (hex(randomblob(30000)), 0, 9e15)",
  )
  return { location: app.location, beside, write: () => void write.run(), size: () => statSync(file).size }
}

test("what is written while a backup folds a long log is folded too", async () => {
  const { location, write, size } = await writtenStore()
  const sizes: number[] = []
  const backup = await backUp(location, await backupFile(), ({ query: { sql } }) => {
    // More than 1,000 pages of 4 KiB.
    if (sql.startsWith('select * from "item" ')) for (let at = 0; at < 80; at++) write()
    if (!sql.startsWith("pragma wal_checkpoint")) return
    sizes.push(size())
    if (sizes.length === 1) write()
  })
  expect(backup).toMatchObject({ exitCode: 0 })
  const [first = 0, second = 0] = sizes
  expect(second).toBeGreaterThan(first + 60_000)
  expect(sizes).toHaveLength(2)
})
