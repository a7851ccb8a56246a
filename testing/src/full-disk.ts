import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { openDatabase } from "@envkeep/server/db/open.ts"
import { sql } from "kysely"
import { expect } from "vitest"
import { newStoreLocation } from "./database.ts"
import { run } from "./process.ts"
import { copyPrivately } from "./restored.ts"

const earlierVersion = join(import.meta.dirname, "../fixtures/store-0.1.0")
export const kibibyte = 1_024

/** Everything that the store holds, as text. */
export async function contentOf(dataDir: string): Promise<string> {
  const { db } = await openDatabase({ dataDir })
  const { rows: tables } = await sql<{ name: string }>`
    select name from sqlite_schema where type = 'table' order by name`.execute(db)
  const content: unknown[] = []
  for (const { name } of tables) content.push(name, (await sql`select * from ${sql.table(name)}`.execute(db)).rows)
  await db.destroy()
  return JSON.stringify(content)
}

export async function earlierStore() {
  const location = await newStoreLocation()
  for (const name of ["envkeep.db", "root.key"]) {
    await copyPrivately(join(earlierVersion, name), join(location.dataDir, name))
  }
  return location
}

/** An upgrade on a disk with so many bytes for each file: no start changes anything, until there is room. */
export async function expectUpgradeToWaitForRoom(room: number): Promise<void> {
  const location = await earlierStore()
  const before = await contentOf(location.dataDir)

  const wrapper = ["prlimit", `--fsize=${room}:unlimited`]
  for (let tries = 0; tries < 2; tries++) {
    expect(await run(location, { wrapper }).ended).toMatchObject({
      code: 73,
      err: expect.stringMatching(/^envkeep: The (data folder|disk of the data folder) .*\n$/),
    })
    expect(await contentOf(location.dataDir)).toBe(before)
  }

  await run(location).url()
  expect(await readdir(join(location.dataDir, "backups"))).toHaveLength(1)
  expect(await contentOf(location.dataDir)).not.toBe(before)
}
