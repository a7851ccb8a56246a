import { testApp } from "@envkeep/testing/app.ts"
import { lockHolder } from "@envkeep/testing/lock-holder.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"
import { purgeExpiredTrash } from "./rules.ts"

test("emptying the trash does not take an environment that is being restored at that moment", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const other = await ann.environment("other", environment.collectionId)
  for (const { id } of [environment, other]) await ann.delete(`/subcollection/${id}`)
  const { holder: restorer, waitingForLock } = await lockHolder(app)

  await restorer.query("begin")
  await restorer.query(
    "update environment set trashed_at = null, trashed_by = null, name = trashed_name, trashed_name = null where id = $1",
    [environment.id],
  )
  const emptied = ann.post(`/collections/${environment.collectionId}/trash/empty`, { name: "app" })
  await expect.poll(waitingForLock).toBe(1)
  await restorer.query("commit")

  expect(await emptied).toMatchObject({ status: 200 })
  expect(await ann.get(`/subcollection/${environment.id}`)).toMatchObject({ status: 200 })
  expect(await app.db.selectFrom("environment").select("id").execute()).toEqual([{ id: environment.id }])
})

test("what is deleted forever is gone for the caller, even if the database fails before its rows are deleted", async () => {
  const app = await testApp()
  const ann = await app.user()
  const [first, second] = [await ann.environment("first"), await ann.environment("second")]
  for (const { id } of [first, second]) {
    await ann.post("/collectionItem", { name: "A", value: "1", subCollectionId: id })
    await ann.delete(`/subcollection/${id}`)
  }
  await ann.delete(`/collection/${second.collectionId}`)
  // As if an administrator of the database had ended the connection.
  await sql`create function end_connection() returns trigger language plpgsql
    as $$ begin raise exception using errcode = '57P01'; end $$`.execute(app.db)
  await sql`create trigger end_connection before delete on item execute function end_connection()`.execute(app.db)

  const purged = [
    await ann.post(`/trash/environments/${first.id}/purge`, { name: "first" }),
    await ann.post(`/trash/collections/${second.collectionId}/purge`, { name: "app" }),
  ]
  expect(purged.map(({ status }) => status)).toEqual([200, 200])
  expect(await ann.get(`/collections/${first.collectionId}/trash`)).toMatchObject({ body: { data: { total: 0 } } })
  expect(await ann.get("/trash")).toMatchObject({ body: { data: { total: 0 } } })

  await sql`drop trigger end_connection on item`.execute(app.db)
  expect(await purgeExpiredTrash(app.core, undefined)).toEqual({ collections: 1, environments: 1 })
})

test("of two that delete the same environment forever, neither takes the rows of the other for the last ones", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const items = Array.from({ length: 250 }, (_, n) => ({ name: `NAME_${n}`, value: "v" }))
  await ann.post(`/subcollection/${environment.id}/bulk`, items)
  await ann.delete(`/subcollection/${environment.id}`)
  await app.db.updateTable("environment").set({ trashed_at: 0 }).execute()
  const { holder: other, waitingForLock } = await lockHolder(app)
  await other.query("begin")
  await other.query("delete from item where id in (select id from item order by id limit 100)")

  const purged = purgeExpiredTrash(app.core, undefined)
  await expect.poll(waitingForLock).toBe(1)
  // It waits with the environment itself, which takes only what the other one has not committed yet.
  expect(await app.db.selectFrom("item").select("id").execute()).toHaveLength(100)
  await other.query("commit")
  expect(await purged).toEqual({ collections: 0, environments: 1 })
})
