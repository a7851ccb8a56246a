import { sentences } from "@envkeep/contract"
import { type Named, rebase, refused, withBaseAndHeir, withChain } from "@envkeep/testing/chain.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, test } from "vitest"

async function deleteMiddle(copyDown?: boolean) {
  const made = await withChain(["a", "b", "c", "d"])
  const [a, b, c, d] = made.chain as [Named, Named, Named, Named]
  const { ann } = made
  await ann.item(a, "TOP", "a")
  await ann.item(b, "MIDDLE", "b")
  await ann.item(b, "BOTH", "b")
  await ann.item(c, "BOTH", "c")
  const before = await made.revision(c)
  const answer = await ann.delete(`/subcollection/${b.id}${copyDown === undefined ? "" : `?copyDown=${copyDown}`}`)
  return { ...made, a, b, c, d, before, answer }
}

testOnce("to delete a base, it must be said what becomes of its heirs", async () => {
  const { read, answer, b, c, d } = await deleteMiddle()
  const heirs = [c, d].map(({ id, name }) => ({ id, name }))
  expect(answer).toMatchObject(refused(409, sentences.hasHeirs(2), { heirs }))
  expect(await read(b)).toBe('{"TOP":"a","MIDDLE":"b","BOTH":"b"}')
})

test("the values of a deleted base are copied down, and its heirs inherit from its base", async () => {
  const { ann, read, revision, answer, before, a, b, c, d } = await deleteMiddle(true)
  expect(answer.status).toBe(200)
  expect((await ann.get(`/subcollection/${c.id}`)).body.data).toMatchObject({ baseId: a.id, itemCount: 2 })
  expect(await revision(c)).toBe(before + 1)
  for (const one of [c, d]) expect(JSON.parse(await read(one))).toEqual({ TOP: "a", MIDDLE: "b", BOTH: "c" })
  expect(JSON.parse(await read(c, `?revision=${before}`))).toEqual({ TOP: "a", MIDDLE: "b", BOTH: "c" })
  const events = (await ann.get(`/collections/${c.collectionId}/activity`)).text
  expect(events).toContain("environment.rebase")

  expect(await ann.post(`/trash/environments/${b.id}/restore`)).toMatchObject({
    body: { data: { isBaseLost: false } },
  })
  expect(JSON.parse(await read(b))).toEqual({ TOP: "a", MIDDLE: "b", BOTH: "b" })
})

testOnce("without a copy, the heirs of a deleted base lose what it set", async () => {
  const { read, answer, c, d } = await deleteMiddle(false)
  expect(answer.status).toBe(200)
  for (const one of [c, d]) expect(JSON.parse(await read(one))).toEqual({ TOP: "a", BOTH: "c" })
})

test("an environment comes back from the trash with its base as it is now, or says that it lost it", async () => {
  const { ann, base, heir, read, revision } = await withBaseAndHeir()
  const restore = () => ann.post<{ isBaseLost: boolean }>(`/trash/environments/${heir.id}/restore`)
  await ann.item(base, "A", "1")
  const etag = (await ann.variables(heir.key)).headers["etag"]
  await ann.delete(`/subcollection/${heir.id}`)
  await ann.item(base, "B", "2")
  expect((await restore()).body.data.isBaseLost).toBe(false)
  expect(await read(heir)).toBe('{"A":"1","B":"2"}')
  expect((await ann.variables(heir.key)).headers["etag"]).not.toBe(etag)

  await ann.delete(`/subcollection/${heir.id}`)
  await ann.put(`/environments/${base.id}/protection`, { isProtected: true })
  expect((await restore()).body.data.isBaseLost).toBe(true)
  expect(await read(heir)).toBe("{}")
  expect(await read(heir, `?revision=${await revision(heir)}`)).toBe("{}")

  await ann.put(`/environments/${base.id}/protection`, { isProtected: false })
  await rebase(ann, heir, base)
  await ann.delete(`/subcollection/${heir.id}`)
  await ann.delete(`/subcollection/${base.id}`)
  await ann.purge("environments", base)
  expect((await restore()).body.data.isBaseLost).toBe(true)
})

testOnce(
  "what a base held is gone from the past of its heirs when it is deleted forever, before its last row is",
  async () => {
    const { app, ann, base, heir, read, revision } = await withBaseAndHeir()
    await ann.item(base, "A", "1")
    const past = await revision(heir)
    await ann.delete(`/subcollection/${base.id}?copyDown=false`)
    expect(await read(heir, `?revision=${past}`)).toBe('{"A":"1"}')

    await app.db.updateTable("environment").set({ trashed_at: 0 }).where("id", "=", base.id).execute()
    const { body } = await ann.get(`/environments/${heir.id}/history/${past}`)
    expect(body.data).toMatchObject({ items: [], isInheritedPruned: true })
    const answer = await ann.variables(heir.key, `?revision=${past}`)
    expect(answer).toMatchObject(refused(410, sentences.inheritedPruned))
  },
)

test("heirs follow a base that is restored or erased, and a collection that is transferred or comes back", async () => {
  const { app, ann, collection, base, heir, read, revision } = await withBaseAndHeir()
  const { id } = await ann.item(base, "A", "1")
  await ann.put(`/collectionItem/${id}`, { name: "A", value: "2" })
  expect(await read(heir)).toBe('{"A":"2"}')
  const before = await revision(heir)
  expect(await ann.post(`/environments/${base.id}/restore`, { revision: 2 })).toMatchObject({ status: 200 })
  expect([await read(heir), await revision(heir)]).toEqual(['{"A":"1"}', before + 1])
  // What its readers get stays the same, so this is no revision. The past one cannot be read any more.
  expect(await ann.post(`/environments/${base.id}/erase`, { name: "A", revision: 3 })).toMatchObject({ status: 200 })
  expect([await read(heir), await revision(heir)]).toEqual(['{"A":"1"}', before + 1])
  expect((await ann.variables(heir.key, `?revision=${before}`)).status).toBe(410)

  const bob = await app.user()
  const { data } = (await bob.get<{ id: number }>("/users/me")).body
  await ann.post(`/collections/${collection.id}/members`, { who: bob.email, role: "owner" })
  await ann.post(`/collections/${collection.id}/transfer`, { userId: data.id })
  await bob.post(`/collections/${collection.id}/take-over`)
  await bob.item(base, "B", "bob's")
  expect(await read(heir)).toBe('{"A":"1","B":"bob\'s"}')
  await bob.delete(`/collection/${collection.id}`)
  expect((await ann.variables(heir.key)).status).toBe(401)
  await bob.post(`/trash/collections/${collection.id}/restore`)
  await bob.item(base, "C", "3")
  expect(await read(heir)).toBe('{"A":"1","B":"bob\'s","C":"3"}')
})
