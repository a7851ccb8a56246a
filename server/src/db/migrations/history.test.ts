import { newStoreLocation } from "@envkeep/testing/database.ts"
import { storeBefore, withStore } from "@envkeep/testing/store-before-history.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { migrate } from "../migrator.ts"

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
