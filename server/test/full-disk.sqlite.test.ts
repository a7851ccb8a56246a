import { spawnSync } from "node:child_process"
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import { browser, readByKey } from "@envkeep/testing/crash/clients.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { contentOf, earlierStore, expectUpgradeToWaitForRoom, kibibyte } from "@envkeep/testing/full-disk.ts"
import { run } from "@envkeep/testing/process.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { openDatabase } from "../src/db/open.ts"

/** Limits the size of the files that a process can write: the effect of a full disk, on any machine and for any user. */
function limitFileSize(pid: number | undefined, bytes: number | "unlimited"): void {
  const { status, stderr } = spawnSync("prlimit", ["--pid", String(pid), `--fsize=${bytes}:unlimited`])
  expect([status, String(stderr)]).toEqual([0, ""])
}

test("with a full disk, writes are refused with a sentence and reads go on; once there is space, writes succeed", async () => {
  const location = await newStoreLocation()
  const server = run(location)
  const target = { url: await server.url() }
  const ann = browser(target)
  const form = { username: "ann", email: "ann@example.com", password: "a good password", password2: "a good password" }
  await ann.call("POST", "/users/register", form)
  await ann.call("POST", "/users/login", { email: form.email, password: form.password })
  const collection = await ann.call<{ id: number }>("POST", "/collection", { name: "app" })
  const input = { name: "production", collectionId: collection.data.id }
  const { id } = (await ann.call<{ id: number }>("POST", "/subcollection", input)).data
  const { key } = (await ann.call<{ key: string }>("POST", "/api-key", { name: "ci", subCollectionId: id })).data
  const save = (value: string) =>
    ann.call(`POST`, `/subcollection/${id}/bulk`, [
      { name: "KEPT", value },
      ...Array.from({ length: 20 }, (_, n) => ({ name: `N${n}`, value: value + "x".repeat(60_000) })),
    ])
  expect((await save("1")).status).toBe(200)
  const before = await readByKey(target, key)

  limitFileSize(server.child.pid, (await stat(join(location.dataDir, "envkeep.db-wal"))).size)
  const refusal = {
    status: 503,
    error: true,
    msg: "The server cannot write to its disk. Nothing was changed",
    data: null,
  }
  expect(await save("2")).toEqual(refusal)
  expect(await ann.call("POST", "/collection", { name: "another" })).toEqual(refusal)
  expect(await readByKey(target, key)).toEqual(before)
  expect((await ann.read<unknown[]>("/collection")).length).toBe(1)

  limitFileSize(server.child.pid, "unlimited")
  expect((await save("3")).status).toBe(200)
  expect(JSON.parse((await readByKey(target, key)).text)).toMatchObject({ KEPT: "3" })
  server.child.kill("SIGTERM")
  expect(await server.ended).toMatchObject({ code: 0 })
})

// The other moments of an upgrade are in `full-disk.sqlite.long.test.ts`.
test("a disk that fills while half of an upgrade is written leaves the store as it was, and the next start goes on", async () => {
  await expectUpgradeToWaitForRoom(200 * kibibyte)
})

test("a disk that fills during the backup before an upgrade leaves the store as it was, and no part of a backup", async () => {
  const location = await earlierStore()
  const { db } = await openDatabase({ dataDir: location.dataDir })
  // What cannot be compressed to less than its half.
  await sql`update "user" set password_hash = hex(randomblob(100000))`.execute(db)
  await db.destroy()
  const before = await contentOf(location.dataDir)

  const wrapper = ["prlimit", `--fsize=${64 * kibibyte}:unlimited`]
  const { code, err } = await run(location, { wrapper }).ended
  expect([code, err]).toEqual([
    73,
    expect.stringMatching(/ cannot be backed up to .* first: EFBIG\. Nothing was changed$/m),
  ])
  expect(await contentOf(location.dataDir)).toBe(before)
  expect(await readdir(join(location.dataDir, "backups"))).toEqual([])
  await run(location).url()
})
