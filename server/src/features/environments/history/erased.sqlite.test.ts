import { randomBytes } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import { withHistory } from "@envkeep/testing/history.ts"
import { expect, test } from "vitest"

test("nothing of an erased value stays in the data folder, not even sealed", async () => {
  const { app, ann, environment, path } = await withHistory()
  const item = await ann.item(environment, "TOKEN", randomBytes(8_000).toString("hex"))
  const { sealed_value: sealed } = await app.db.selectFrom("item").select("sealed_value").executeTakeFirstOrThrow()
  const piece = Buffer.from(sealed).subarray(4_000, 4_100)
  const filesWithIt = async () => {
    const found: string[] = []
    for (const name of await readdir(app.location.dataDir)) {
      if ((await readFile(join(app.location.dataDir, name))).includes(piece)) found.push(name)
    }
    return found
  }
  expect(await filesWithIt()).not.toEqual([])
  await ann.put(`/collectionItem/${item.id}`, { name: "TOKEN", value: "short" })
  expect((await ann.post(`${path}/erase`, { name: "TOKEN", revision: 2 })).status).toBe(200)
  // Until then, the log of SQLite's last changes has it.
  await app.close()
  expect(await filesWithIt()).toEqual([])
})
