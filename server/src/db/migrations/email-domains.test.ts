import { newStoreLocation } from "@envkeep/testing/database.ts"
import { withStore } from "@envkeep/testing/store-before-history.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { migrate } from "../migrator.ts"
import { migrations } from "./list.ts"

test("the keys of e-mails get the domains in ASCII, unless another account has that key", async () => {
  await withStore(await newStoreLocation(), async (db) => {
    const all = migrations.filter(({ name }) => name < "033")
    await migrate(db, { all })
    const before = ["ann@example.com", "bo@bücher.example", "cy@faß.de", "cy@xn--fa-hia.de", "dé@example.com"]
    for (const key of before) {
      await sql`insert into "user" (username, email, email_key, password_hash, created_at)
        values ('someone', ${key}, ${key}, '', 1)`.execute(db)
    }
    const said: string[] = []
    await migrate(db, { say: (line) => void said.push(line) })
    expect(said).toEqual(["the account 3 has the e-mail of another one, so only that one is found by it"])
    const { rows } = await sql<{ key: string }>`select email_key as key from "user" order by id`.execute(db)
    expect(rows.map(({ key }) => key)).toEqual([
      "ann@example.com",
      "bo@xn--bcher-kva.example",
      "cy@faß.de",
      "cy@xn--fa-hia.de",
      "dé@example.com",
    ])
  })
})
