import { copyFile, mkdtemp, rm, truncate } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { backUp, backupFile } from "@envkeep/testing/commands.ts"
import {
  bytes,
  cannotBeOpened,
  damaged,
  damagedStore,
  doctor,
  ended,
  expectDoctorToShow,
  expectNotToOpen,
  expectWhole,
  shownByTheDoctor,
  withoutMeaning,
} from "@envkeep/testing/damaged-store.ts"
import { run } from "@envkeep/testing/process.ts"
import { expect, onTestFinished, test } from "vitest"
import { isDamagedFile } from "../src/db/faults.ts"
import { openSqliteFile } from "../src/db/sqlite-file.ts"

// What comes of damage to the file of the embedded store: no start that is tried for ever, and always a way back. Every
// damage that we know is tried by `damaged-store.sqlite.long.test.ts`.

const some = ["the first bytes", "a file cut in the middle", "a file of text", "a folder in the place of its log"]
const ofEachKind = cannotBeOpened.filter(([what]) => some.includes(what))

test.each(ofEachKind)(
  "$0: the start and every command exit with 74, and a restore brings all back",
  async (_, damage) => {
    await expectNotToOpen(damage)
  },
)

test("a format that SQLite does not know how to write is damage too", async () => {
  const { location, expectRestored } = await damagedStore(bytes(18, 3))
  expect(await run(location).ended).toMatchObject({
    code: damaged,
    err: `envkeep: The store in ${location.dataDir} cannot be opened: attempt to write a readonly database\n`,
  })
  expect(await doctor(location)).toEqual([damaged, expect.stringContaining("fault: The store's file is damaged: ")])
  expect((await ended(backUp(location, await backupFile()))).exitCode).toBe(0)
  await expectRestored()
})

test.each(shownByTheDoctor.slice(0, 1))(
  "$0: the doctor exits with 74, and a restore brings all back",
  async (_, damage) => {
    await expectDoctorToShow(damage)
  },
)

test.each(withoutMeaning.slice(0, 1))("$0: the store is whole", async (_, damage) => {
  await expectWhole(damage)
})

test("a store whose last change was not finished is no damaged one, also where nothing may be written", async () => {
  const folder = await mkdtemp(join(tmpdir(), "envkeep-journal-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [written, file] = [join(folder, "written.db"), join(folder, "envkeep.db")]
  const database = new DatabaseSync(written)
  database.exec("pragma journal_mode = delete; pragma cache_size = 1; create table row (value)")
  database.exec("begin; insert into row select randomblob(1000) from json_each('[1,2,3,4,5,6,7,8,9]')")
  for (const part of ["", "-journal"]) await copyFile(`${written}${part}`, `${file}${part}`)
  database.close()

  const refused = await openSqliteFile(file, { readOnly: true }).catch((error: unknown) => error)
  expect(isDamagedFile(refused)).toBe(false)
  const opened = await openSqliteFile(file, { readOnly: false })
  expect(opened.prepare("select count(*) as count from row").get()).toEqual({ count: 0 })
  opened.close()
})

test("an empty file is what a first start has left that was killed, so the next one goes on", async () => {
  const { location } = await damagedStore((file) => truncate(file, 0))
  await run(location).url()
})
