import { type CollectionSummary, type Environment, type ListedApiKey, sentences } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { type RawBuilder, sql } from "kysely"
import { expect } from "vitest"
import type { Db } from "../../db/schema.ts"

/** The numbers from 1 to `count`, as a table `n` with the column `i`. */
const numbers = (count: number): RawBuilder<unknown> =>
  sql`(with recursive n (i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)}) select i from n) as n`

const refused = (msg: string) => ({ status: 400, body: { error: true, msg, data: null } })

testOnce("an account can have 10,000 collections, and what is beyond that stays readable", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { id } = await ann.collection("first")
  await sql`insert into collection (owner_id, name, description, data_key)
    select owner_id, name, description, data_key from collection, ${numbers(9_998)} where id = ${id}`.execute(app.db)
  await addOwners(app.db)
  expect(await ann.post("/collection", { name: "last" })).toMatchObject({ status: 201 })
  expect(await ann.post("/collection", { name: "more" })).toMatchObject(refused(sentences.tooManyCollections))
  expect(await bob.post("/collection", { name: "of another" })).toMatchObject({ status: 201 })

  await sql`insert into collection (owner_id, name, description, data_key)
    select owner_id, 'older', description, data_key from collection where id = ${id}`.execute(app.db)
  await addOwners(app.db)
  const { data } = (await ann.get<CollectionSummary[]>("/collection")).body
  expect(data).toHaveLength(10_001)
  expect(await ann.put(`/collection/${id}`, { name: "renamed" })).toMatchObject({ status: 200 })
})

/** For collections that were inserted directly. */
async function addOwners(db: Db): Promise<void> {
  await sql`insert into collection_member (collection_id, user_id, role, created_at)
    select id, owner_id, 'owner', 0 from collection where id not in (select collection_id from collection_member)`.execute(
    db,
  )
}

testOnce("a collection can have 1,000 environments", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { id, collectionId } = await ann.environment("first")
  await sql`insert into environment (collection_id, name)
    select collection_id, name || i from environment, ${numbers(998)} where id = ${id}`.execute(app.db)
  expect(await ann.post("/subcollection", { name: "last", collectionId })).toMatchObject({ status: 200 })
  const more = { name: "more", collectionId }
  expect(await ann.post("/subcollection", more)).toMatchObject(refused(sentences.tooManyEnvironments))
  expect(await bob.post("/subcollection", more)).toMatchObject({ status: 404 })
  expect((await ann.get<Environment[]>(`/subcollection/all/${collectionId}`)).body.data).toHaveLength(1_000)
  await ann.environment("in another", (await ann.collection()).id)
})

testOnce("an environment can have 1,000 API keys", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { id: subCollectionId, collectionId } = await ann.environment()
  const { id } = await ann.apiKey({ id: subCollectionId }, "first")
  await sql`insert into api_key (environment_id, name, key_hash, sealed_key, created_at)
    select environment_id, name || i, key_hash || i, sealed_key, created_at from api_key, ${numbers(998)}
    where id = ${id}`.execute(app.db)
  const create = (name: string) => ann.post("/api-key", { name, subCollectionId })
  const answers = await Promise.all([create("one"), create("other")])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(await create("more")).toMatchObject(refused(sentences.tooManyApiKeys))
  expect((await ann.get<ListedApiKey[]>("/api-key")).body.data).toHaveLength(1_000)
  await ann.apiKey(await ann.environment("other", collectionId))
  await ann.delete(`/api-key/${id}`)
  expect(await create("in its place")).toMatchObject({ status: 200 })
})
