import { limits, sentences } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { sql } from "kysely"
import { expect, test } from "vitest"

const restoreEnvironment = (person: Person, { id }: { id: number }) => person.post(`/trash/environments/${id}/restore`)
const restoreCollection = (person: Person, id: number) => person.post(`/trash/collections/${id}/restore`)

test("limits do not count the trash, and restoring beyond one is refused", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const { collectionId } = environment
  await ann.delete(`/subcollection/${environment.id}`)
  const rows = Array.from({ length: limits.environmentsPerCollection }, (_, n) => ({
    collection_id: collectionId,
    name: `e${n}`,
    revision: 1,
    item_count: 0,
    sealed_bytes: n === 0 ? limits.collectionBytes : 0,
  }))
  await app.db.insertInto("environment").values(rows).execute()
  expect(await restoreEnvironment(ann, environment)).toMatchObject({
    status: 400,
    body: { msg: sentences.tooManyEnvironments },
  })

  await app.db.deleteFrom("environment").where("name", "=", "e1").execute()
  await app.db.updateTable("environment").set({ sealed_bytes: 1 }).where("id", "=", environment.id).execute()
  expect(await restoreEnvironment(ann, environment)).toMatchObject({
    status: 400,
    body: { msg: sentences.collectionTooLarge },
  })
  await app.db.updateTable("environment").set({ sealed_bytes: 0 }).where("id", "=", environment.id).execute()
  expect(await restoreEnvironment(ann, environment)).toMatchObject({ status: 200 })
})

testOnce("a restored collection counts to the owner who pays for it, whichever owner restores it", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { id } = await ann.collection()
  await ann.post(`/collections/${id}/members`, { who: bob.email, role: "owner" })
  await bob.delete(`/collection/${id}`)
  const fill = async (owner: Person) => {
    const { data } = (await owner.get<{ id: number }>("/users/me")).body
    const fillAccount = sql`
      with recursive numbered(n) as
        (select 1 union all select n + 1 from numbered where n < ${limits.collectionsPerAccount})
      insert into collection (owner_id, name, description, data_key)
      select cast(${data.id} as bigint), 'c' || n, '', collection.data_key
      from numbered join collection on collection.id = ${id}`
    await fillAccount.execute(app.db)
  }
  await fill(bob)
  expect(await restoreCollection(bob, id)).toMatchObject({ status: 200 })
  await bob.delete(`/collection/${id}`)
  await fill(ann)
  const refused = { status: 400, body: { msg: sentences.tooManyCollections } }
  expect(await restoreCollection(bob, id)).toMatchObject(refused)
})
