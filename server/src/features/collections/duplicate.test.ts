import {
  type About,
  type Collection,
  type CreatedToken,
  type collections,
  type Environment,
  type history,
  limits,
  type OutputOf,
  type StorageUse,
  sentences,
} from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { countTurns } from "@envkeep/testing/count-turns.ts"
import { damageValue } from "@envkeep/testing/damaged-values.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"
import { recountStoredBytes } from "../../core/stored-bytes.ts"
import { sealBytes } from "../../keys/seal.ts"

type Duplicated = OutputOf<typeof collections.duplicate>

const duplicate = (by: Person, id: number, what: "values" | "names", name = "copy") =>
  by.post<Duplicated>(`/collections/${id}/duplicate`, { name, what })

async function read(person: Person, id: number) {
  const { body } = await person.get<Collection>(`/collection/${id}`)
  return body.data
}

const shape = ({ subCollections }: Collection) =>
  subCollections.map(({ name, isProtected, baseId, collectionItems, apiKeys }) => ({
    name,
    isProtected,
    base: subCollections.find(({ id }) => id === baseId)?.name,
    items: Object.fromEntries(collectionItems.map((item) => [item.name, item.value])),
    apiKeys: apiKeys.length,
  }))

/** The base was made last. */
async function withChain() {
  const app = await testApp()
  const ann = await app.user()
  const heir = await ann.environment("heir")
  const { collectionId } = heir
  const plain = await ann.environment("plain", collectionId)
  const base = await ann.environment("base", collectionId)
  await ann.put(`/environments/${plain.id}/base`, { baseId: base.id })
  await ann.put(`/environments/${heir.id}/base`, { baseId: plain.id })
  await ann.item(base, "A", "of the base")
  const item = await ann.item(heir, "A", "of the heir")
  await ann.item(heir, "B", "only here")
  await ann.apiKey(heir)
  await ann.put(`/environments/${heir.id}/protection`, { isProtected: true })
  await ann.put(`/collections/${collectionId}/names`, { name: "A", description: "about A", isRequired: true })
  await ann.put(`/collection/${collectionId}`, { name: "app", description: "what it is" })
  return { app, ann, collectionId, item }
}

test("a duplicate has the environments, what inherits from what, protection, descriptions and values, but no keys", async () => {
  const { app, ann, collectionId } = await withChain()
  const bob = await app.user()
  await ann.post(`/collections/${collectionId}/members`, { who: bob.email, role: "maintainer" })
  const answer = await duplicate(bob, collectionId, "values", " copy ")
  expect(answer).toMatchObject({ status: 201, body: { msg: "Collection duplicated" } })
  const { id, ...rest } = answer.body.data
  expect(rest).toEqual({ name: "copy", hidden: 0, damaged: 0 })

  const [original, copy] = [await read(bob, collectionId), await read(bob, id)]
  expect(copy).toMatchObject({ name: "copy", description: "what it is", role: "owner" })
  expect(shape(copy)).toEqual(shape(original).map((one) => ({ ...one, apiKeys: 0 })))
  const { body: names } = await bob.get<About[]>(`/collections/${id}/names`)
  expect(names.data).toMatchObject([{ name: "A", description: "about A", isRequired: true }])
  expect((await ann.get(`/collection/${id}`)).status).toBe(404)
  const heir = copy.subCollections[0] as Environment
  const { body } = await bob.get<OutputOf<typeof history.list>>(`/environments/${heir.id}/history`)
  expect(body.data.revisions.map(({ action }) => action)).toEqual(["collection.duplicate", "environment.create"])
  const { key } = await bob.apiKey(heir)
  expect((await app.guest.variables(key)).text).toBe('{"A":"of the heir","B":"only here"}')
  // What an account is counted to store is right.
  expect(await recountStoredBytes(app.db)).toBe(0)
})

testOnce("of what the caller may not see, a duplicate has the names, and a damaged item is left out", async () => {
  const { app, ann, collectionId, item } = await withChain()
  const bob = await app.user()
  await ann.post(`/collections/${collectionId}/members`, { who: bob.email, role: "reader" })
  const { data } = (await duplicate(bob, collectionId, "values")).body
  expect(data).toMatchObject({ hidden: 2, damaged: 0 })
  expect(shape(await read(bob, data.id))).toMatchObject([
    { name: "heir", isProtected: true, items: { A: "", B: "" } },
    { name: "plain", base: "base", items: {} },
    { name: "base", items: { A: "of the base" } },
  ])

  await damageValue(app.db, item.id)
  const again = (await duplicate(ann, collectionId, "values")).body.data
  expect(again).toMatchObject({ hidden: 0, damaged: 1 })
  expect(shape(await read(ann, again.id))[0]?.items).toEqual({ B: "only here" })
  const names = (await duplicate(ann, collectionId, "names")).body.data
  expect(names).toMatchObject({ hidden: 0, damaged: 0 })
  expect(shape(await read(ann, names.id)).map(({ items }) => items)).toEqual([{ A: "", B: "" }, {}, { A: "" }])
})

test("who duplicates pays: beyond their quota, nothing is made", async () => {
  const app = await testApp({ env: { ENVKEEP_QUOTA_MB: "1" } })
  const [ann, bob] = [await app.user(), await app.user()]
  const environment = await ann.environment()
  const items = Array.from({ length: 10 }, (_, at) => ({ name: `NAME_${at}`, value: "x".repeat(60_000) }))
  await ann.post(`/subcollection/${environment.id}/bulk`, items)
  const copyId = (await duplicate(ann, environment.collectionId, "names")).body.data.id
  const used = (await ann.get<StorageUse>("/users/me/storage")).body.data.usedBytes
  expect(await duplicate(ann, environment.collectionId, "values")).toMatchObject({
    status: 400,
    body: { msg: sentences.quotaExceeded(1_000_000) },
  })
  expect((await ann.get<StorageUse>("/users/me/storage")).body.data.usedBytes).toBe(used)
  expect((await ann.get<Collection[]>("/collection")).body.data.map(({ id }) => id)).toEqual([
    environment.collectionId,
    copyId,
  ])
  await ann.post(`/collections/${environment.collectionId}/members`, { who: bob.email, role: "reader" })
  expect(await duplicate(bob, environment.collectionId, "values")).toMatchObject({ status: 201 })
})

testOnce("a duplicate that is a byte too large for the quota is refused before a row is written", async () => {
  const inserts: string[] = []
  const app = await testApp({
    env: { ENVKEEP_QUOTA_MB: "1" },
    logQuery: ({ query: { sql } }) => {
      if (sql.startsWith("insert")) inserts.push(sql)
    },
  })
  /** Of one who stores this much. */
  const duplicateOf = async (bytes: number) => {
    const ann = await app.user()
    const usedBytes = async () => (await ann.get<StorageUse>("/users/me/storage")).body.data.usedBytes
    const environment = await ann.environment()
    const { collectionId } = environment
    await ann.put(`/collections/${collectionId}/names`, { name: "A", description: "about A" })
    const items = Array.from({ length: 8 }, (_, at) => ({ name: `NAME_${at}`, value: "x".repeat(60_000) }))
    await ann.post(`/subcollection/${environment.id}/bulk`, items)
    const other = await ann.environment("other", collectionId)
    const restBytes = bytes - (await usedBytes()) - limits.rowBytes - sealBytes
    await ann.item(other, "REST", "x".repeat(restBytes))
    expect(await usedBytes()).toBe(bytes)
    inserts.length = 0
    const answer = await duplicate(ann, collectionId, "values")
    return { answer, inserted: inserts.length, usedBytes: await usedBytes() }
  }
  const refused = await duplicateOf(500_001)
  expect(refused).toMatchObject({ answer: { status: 400 }, inserted: 0, usedBytes: 500_001 })
  expect(refused.answer.body.msg).toBe(sentences.quotaExceeded(1_000_000))
  expect(await duplicateOf(500_000)).toMatchObject({ answer: { status: 201 }, usedBytes: 1_000_000 })
})

testOnce("a token that is limited to a collection cannot duplicate it", async () => {
  const { app, ann, collectionId } = await withChain()
  const settings = { name: "limited", scope: "manage", collectionIds: [collectionId] }
  const { token } = (await ann.post<CreatedToken>("/users/me/tokens", settings)).body.data
  expect(await duplicate(person(app.app, ann.email, token), collectionId, "names")).toMatchObject({
    status: 403,
    body: { msg: sentences.tokenLimited },
  })
})

testOnce("the thread stays free while a large collection is duplicated", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { id: collectionId } = await ann.collection()
  const count = 2
  const items = Array.from({ length: limits.itemsPerEnvironment }, (_, at) => ({
    name: `NAME_${at}`,
    value: "x".repeat(370),
  }))
  for (let at = 0; at < count; at++) {
    const { id } = await ann.environment(`environment ${at}`, collectionId)
    expect(await ann.post(`/subcollection/${id}/bulk`, items)).toMatchObject({ status: 200 })
  }
  const turns = countTurns()
  const { data } = (await duplicate(ann, collectionId, "values")).body
  const turnsTaken = turns()
  expect(data).toMatchObject({ hidden: 0, damaged: 0 })
  const copies = (await ann.get<Collection[]>("/collection")).body.data.find(({ id }) => id === data.id)
  expect(copies?.subCollections.map(({ itemCount }) => itemCount)).toEqual(
    Array.from({ length: count }, () => items.length),
  )
  // The queries alone take forty.
  expect(turnsTaken).toBeGreaterThan(60)
})
