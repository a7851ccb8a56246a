import { statSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { testApp } from "@envkeep/testing/app.ts"
import { backUp, backupFile, callCommand } from "@envkeep/testing/commands.ts"
import { expect, onTestFinished, test } from "vitest"
import { sqliteFile } from "../db/open.ts"
import { doctorCommand } from "./doctor.ts"

// SQLite's log grows as long as a snapshot is read. The next writer must not have to fold it into the file.

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

test("the doctor reads rows without a snapshot of all of them", async () => {
  const app = await testApp()
  const ann = await app.user()
  await ann.item(await ann.environment())
  const beside = new DatabaseSync(join(app.location.dataDir, sqliteFile))
  onTestFinished(() => beside.close())
  const isHeld: unknown[] = []
  const { exitCode } = await callCommand(doctorCommand, app.location, {
    logQuery({ query: { sql } }) {
      if (!sql.startsWith('select * from "item" ')) return
      isHeld.push(beside.prepare("pragma wal_checkpoint(truncate)").get()?.["busy"])
    },
  })
  expect([exitCode, isHeld]).toEqual([0, [0, 0]])
})

test("where a server is writing, the doctor folds the log after it has looked at the whole file", async () => {
  const app = await testApp()
  const ann = await app.user()
  await ann.item(await ann.environment())
  const file = join(app.location.dataDir, sqliteFile)
  const beside = new DatabaseSync(file)
  onTestFinished(() => beside.close())
  const before = statSync(file).size
  const write = beside.prepare("insert into attempt (bucket, count, resets_at) values (hex(randomblob(30000)), 0, 0)")
  const { exitCode } = await callCommand(doctorCommand, app.location, {
    logQuery({ query: { sql } }) {
      if (sql.startsWith('select * from "item" ') || sql.startsWith("pragma integrity_check")) write.run()
    },
  })
  expect(exitCode).toBe(0)
  expect(statSync(file).size).toBeGreaterThan(before + 60_000)
})
