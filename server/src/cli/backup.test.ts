import { writeFileSync } from "node:fs"
import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { gunzipSync } from "node:zlib"
import type { Collection } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { backUp, backupFile, callCommand } from "@envkeep/testing/commands.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { run } from "@envkeep/testing/process.ts"
import { restored } from "@envkeep/testing/restored.ts"
import { expect, test } from "vitest"
import { tableNames } from "../db/stored-tables.ts"
import { keptTables, leftOutTables } from "../db/table-lists.ts"
import { backupCommand } from "./backup.ts"

test("a backup is one file that only this user can read, in which everything secret is sealed", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "TOKEN", "hunter22")
  const { key } = await ann.apiKey(environment)
  const file = await backupFile()

  expect(await backUp(app.location, file)).toEqual({
    exitCode: 0,
    out: [
      `Backed up 1 account, 1 collection, 1 environment, 1 item, 1 version, 1 API key and 0 webhooks to ${file}`,
      "The root key is not in it: keep a copy of it somewhere else, without it the backup cannot be read",
    ],
    err: [],
  })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect(await readdir(dirname(file))).toEqual(["envkeep.backup"])
  const text = gunzipSync(await readFile(file)).toString("utf8")
  const rootKey = (await readFile(join(app.location.dataDir, "root.key"), "utf8")).trim()
  const token = /=([^;]+)/.exec(ann.cookie)?.[1] ?? ""
  expect(token).not.toBe("")
  for (const secret of ["hunter22", key, rootKey, Buffer.from(rootKey, "hex").toString("base64"), token]) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(Buffer.from(secret).toString("base64").slice(0, -4))
  }
})

testOnce("an existing file is never overwritten, and a file that cannot be written gets one sentence", async () => {
  const app = await testApp()
  await app.user()
  const file = await backupFile()
  await writeFile(file, "precious")
  const statements: string[] = []
  await expect(backUp(app.location, file, ({ query }) => void statements.push(query.sql))).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringContaining(file),
  })
  expect(await readFile(file, "utf8")).toBe("precious")
  // A large store takes minutes, so it is refused before a row is read.
  expect(statements.filter((sql) => sql.startsWith('select * from "'))).toEqual([])

  // Made by another process at the last moment.
  const taken = await backupFile()
  await expect(
    backUp(app.location, taken, ({ query }) => {
      if (query.sql.startsWith('select * from "user"')) writeFileSync(taken, "precious")
    }),
  ).rejects.toMatchObject({ exitCode: 1 })
  expect(await readFile(taken, "utf8")).toBe("precious")
  expect(await readdir(dirname(taken))).toEqual(["envkeep.backup"])

  await expect(backUp(app.location, join(file, "below"))).rejects.toMatchObject({
    exitCode: 73,
    message: `The backup ${join(file, "below")} cannot be written: ENOTDIR`,
  })
})

test("what is written while a backup is taken is in it whole or not at all", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const saveAll = (value: string) =>
    ann.post(
      `/subcollection/${environment.id}/bulk`,
      Array.from({ length: 500 }, (_, n) => ({ name: `N${n}`, value })),
    )
  expect((await saveAll("before")).status).toBe(200)
  const file = await backupFile()

  const written: number[] = []
  await backUp(app.location, file, async ({ query }) => {
    // After each batch of items that is read, all items change, and there is one more environment.
    if (!/^\s*select \* from "item"/.test(query.sql)) return
    written.push((await saveAll(`during ${written.length}`)).status)
    await ann.environment(`late ${written.length}`, environment.collectionId)
  })
  expect(written).toEqual([200, 200, 200, 200])

  const copy = await restored(app, file)
  const again = await copy.logIn(ann.email)
  const { body } = await again.get<Collection>(`/collection/${environment.collectionId}`)
  expect(body.data.subCollections.map((one) => one.name)).toEqual(["production"])
  const values = body.data.subCollections[0]?.collectionItems.map((item) => item.value)
  expect(values).toEqual(Array(500).fill("before"))
})

testOnce("every table is either kept or left out on purpose", async () => {
  const { db } = await testApp()
  const names = [...(await tableNames(db))].filter((name) => !name.startsWith("sqlite_"))
  expect(names.toSorted()).toEqual([...keptTables, ...leftOutTables].toSorted())
})

testOnce("npm run backup works beside a running server", async () => {
  const location = await newStoreLocation()
  await run(location).url()
  const file = await backupFile()
  const backup = run(location, { args: ["backup", file] })
  expect(await backup.ended).toMatchObject({ code: 0, err: "", out: expect.stringMatching(/^Backed up 0 accounts, /) })
  expect(gunzipSync(await readFile(file)).toString("utf8")).toMatch(/^\{"envkeepBackup":1,/)
})

testOnce("without the name of a file, or with more than one, it says how it is used", async () => {
  const { location } = await testApp()
  for (const args of [[], ["--force"], [join(location.dataDir, "a"), "b"]]) {
    expect(await callCommand(backupCommand, location, { args })).toEqual({
      exitCode: 2,
      out: [],
      err: ["usage: npm run backup -- <file>"],
    })
  }
})
