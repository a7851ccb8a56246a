import { createInterface } from "node:readline"
import { newStoreLocation, type StoreLocation } from "@envkeep/testing/database.ts"
import { run } from "@envkeep/testing/process.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { openVault } from "../../keys/root-key.ts"
import { appliedMigrations, migrate } from "../migrator.ts"
import { openDatabase } from "../open.ts"
import type { Db } from "../schema.ts"
import { migrations } from "./list.ts"

const earlier = migrations.slice(
  0,
  migrations.findIndex(({ name }) => name === "007-history"),
)

/** A store as the version before history left it, with environments of so many items. */
async function storeBefore(location: StoreLocation, itemCounts: number[]): Promise<void> {
  await withStore(location, async (db) => {
    await migrate(db, { all: earlier })
    await openVault(db, { rootKey: undefined, dataDir: location.dataDir }, () => undefined)
    await sql`insert into "user" (id, username, email, email_key, password_hash, created_at)
      values (1, 'ann', 'a@b', 'a@b', '', 1)`.execute(db)
    await sql`insert into collection (id, owner_id, name, description, data_key)
      values (1, 1, 'c', '', ${Buffer.from("key")})`.execute(db)
    for (const [index, count] of itemCounts.entries()) {
      await sql`insert into environment (id, collection_id, name, revision, item_count, sealed_bytes)
        values (${index + 1}, 1, ${`e${index}`}, ${7 + index}, ${count}, ${count * 40})`.execute(db)
      await sql`insert into item (environment_id, name, sealed_value)
        with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})
        select ${index + 1}, 'NAME_' || n, ${Buffer.alloc(40, 7)} from numbers`.execute(db)
    }
  })
}

async function withStore<Result>(location: StoreLocation, work: (db: Db) => Promise<Result>): Promise<Result> {
  const { db } = await openDatabase({ url: location.databaseUrl, dataDir: location.dataDir })
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}

test("what environments hold becomes their first revision, and the progress is told", async () => {
  const location = await newStoreLocation()
  await storeBefore(location, [10_000, 12_000, 1, 3])
  await withStore(location, async (db) => {
    const said: string[] = []
    await migrate(db, { say: (line) => void said.push(line) })
    expect(said).toEqual([
      "22,000 of 22,004 items have their first version",
      "22,004 of 22,004 items have their first version",
    ])
    const { rows } = await sql`
      select number, action, actor, added, history_from as "from", history_bytes as bytes,
        (select count(*) from item_version
          join item on item.id = item_version.item_id and item.name = item_version.name
            and item.sealed_value = item_version.sealed_value
          where item_version.environment_id = revision.environment_id and item_version.revision = number) as versions
      from revision join environment on environment.id = revision.environment_id order by number`.execute(db)
    const begun = { action: "history.begin", actor: "server", bytes: 0 }
    expect(rows).toEqual([
      { number: 7, from: 7, added: 10_000, versions: 10_000, ...begun },
      { number: 8, from: 8, added: 12_000, versions: 12_000, ...begun },
      { number: 9, from: 9, added: 1, versions: 1, ...begun },
      { number: 10, from: 10, added: 3, versions: 3, ...begun },
    ])
  })
})

test("a server that is killed while it migrates leaves the store as it was, and the next one goes on", async () => {
  const location = await newStoreLocation()
  await storeBefore(location, [20_000, 20_000, 20_000])
  const { child, ended } = run(location)
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.includes("20,000 of 60,000 items have their first version")) child.kill("SIGKILL")
  }
  expect((await ended).code).toBeNull()
  await withStore(location, async (db) => {
    expect(await appliedMigrations(db)).toEqual(earlier.map(({ name }) => name))
  })

  const again = run(location)
  await again.url()
  again.child.kill("SIGKILL")
  await again.ended
  await withStore(location, async (db) => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from item_version`.execute(db)
    expect(rows[0]?.count).toBe(60_000)
  })
})
