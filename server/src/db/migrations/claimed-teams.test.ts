import { newStoreLocation } from "@envkeep/testing/database.ts"
import { withStore } from "@envkeep/testing/store-before-history.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { migrate } from "../migrator.ts"
import { migrations } from "./list.ts"

test("teams that a claim has filled stay tied to it by their name, of each name one, and no others", async () => {
  await withStore(await newStoreLocation(), async (db) => {
    await migrate(db, { all: migrations.filter(({ name }) => name < "034") })
    await sql`insert into "user" (id, username, email, email_key, password_hash, created_at)
      values (1, 'ann', 'a@b', 'a@b', '', 1)`.execute(db)
    await sql`insert into identity (id, user_id, issuer, subject, email, created_at)
      values (1, 1, 'https://a', 'ann', 'a@b', 1)`.execute(db)
    const teams = [
      { id: 1, name: "ops", created: 1, named: 9 },
      { id: 2, name: "ops", created: 2, named: null },
      { id: 3, name: "web", created: 3, named: null },
      { id: 4, name: "qa", created: 4, named: null },
    ]
    for (const { id, name, created, named } of teams) {
      await sql`insert into team (id, name, created_at, named_at) values (${id}, ${name}, ${created}, ${named})`.execute(
        db,
      )
    }
    for (const id of [1, 2, 4])
      await sql`insert into identity_team (identity_id, team_id) values (1, ${id})`.execute(db)
    await migrate(db)
    const { rows } = await sql`select id, claim_value as value from team order by id`.execute(db)
    expect(rows).toEqual([
      { id: 1, value: null },
      { id: 2, value: "ops" },
      { id: 3, value: null },
      { id: 4, value: "qa" },
    ])
  })
})
