import {
  type Collection,
  type EnvironmentWithInherited,
  type history,
  inheritedItems,
  limits,
  type OutputOf,
  sentences,
} from "@envkeep/contract"
import type { TestApp } from "@envkeep/testing/app.ts"
import { type Named, rebase, refused, withBaseAndHeir, withChain } from "@envkeep/testing/chain.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"
import { pruneHistory } from "../history/retention/rules.ts"

type Whole = OutputOf<typeof history.get>
type Changes = OutputOf<typeof history.changes>

test("keys read what an environment sets itself and what comes from the four above it, in the order of ids", async () => {
  const { ann, chain, read, revision } = await withChain(["a", "b", "c", "d", "e"])
  const [a, b, c, d, e] = chain as [Named, Named, Named, Named, Named]
  await ann.item(e, "OWN", "e")
  await ann.item(a, "SHARED", "a")
  await ann.item(c, "MIDDLE", "c")
  expect(await read(e, "?format=raw")).toBe("OWN=e\nSHARED=a\nMIDDLE=c\n")
  expect(await read(b)).toBe('{"SHARED":"a"}')

  const before = await revision(e)
  const override = await ann.item(d, "SHARED", "d")
  expect(await revision(e)).toBe(before + 1)
  expect(await read(e, "?format=raw")).toBe("OWN=e\nMIDDLE=c\nSHARED=d\n")
  expect(await read(c)).toBe('{"SHARED":"a","MIDDLE":"c"}')

  await ann.delete(`/collectionItem/${override.id}`)
  expect(await read(e, "?format=raw")).toBe("OWN=e\nSHARED=a\nMIDDLE=c\n")
  await rebase(ann, b, null)
  expect(await read(e, "?format=raw")).toBe("OWN=e\nMIDDLE=c\n")
})

testOnce("one environment shows what it inherits, and a collection has all that is needed to tell", async () => {
  const { ann, collection, base, heir } = await withBaseAndHeir()
  await ann.item(base, "A", "1")
  await ann.item(base, "B", "2")
  await ann.item(heir, "B", "own")
  const { data } = (await ann.get<EnvironmentWithInherited>(`/subcollection/${heir.id}`)).body
  expect(data).toMatchObject({ baseId: base.id, itemCount: 1, collectionItems: [{ name: "B", value: "own" }] })
  expect(data.inherited).toEqual([{ name: "A", value: "1", environmentId: base.id }])
  const { subCollections } = (await ann.get<Collection>(`/collection/${collection.id}`)).body.data
  expect(inheritedItems(data, subCollections)).toEqual(data.inherited)
  expect(inheritedItems({ ...data, valuesHidden: true }, subCollections)).toMatchObject([{ name: "A", value: null }])
})

testOnce("a base above itself, too many levels or heirs, and a base elsewhere are refused", async () => {
  const { app, ann, collection, chain } = await withChain(["a", "b", "c", "d", "e"])
  const [a, b, c, , e] = chain as [Named, Named, Named, Named, Named]
  for (const [one, base] of [
    [a, a],
    [a, b],
    [a, e],
    [b, c],
  ] as const) {
    expect(await rebase(ann, one, base)).toMatchObject(refused(400, sentences.inheritsFromItself))
  }
  const other = await ann.environment("other", collection.id)
  expect(await rebase(ann, other, e)).toMatchObject(refused(400, sentences.tooManyLevels))
  expect(await rebase(ann, a, other)).toMatchObject(refused(400, sentences.tooManyLevels))
  const notFound = refused(404, "Environment not found")
  expect(await rebase(ann, other, await ann.environment("elsewhere"))).toMatchObject(notFound)
  expect(await rebase(ann, other, await (await app.user()).environment())).toMatchObject(notFound)
  expect(await rebase(ann, other, { id: 999_999 })).toMatchObject(notFound)

  const heirs = Array.from({ length: limits.heirsPerEnvironment - 4 }, (_, index) => ({
    collection_id: collection.id,
    name: `heir ${index}`,
    revision: 1,
    item_count: 0,
    sealed_bytes: 0,
    base_id: b.id,
  }))
  await app.db.insertInto("environment").values(heirs).execute()
  expect(await rebase(ann, other, c)).toMatchObject(refused(400, sentences.tooManyHeirs))
  expect(await rebase(ann, e, c)).toMatchObject({ status: 200 })
})

testOnce("a change of base is refused if there was another one since it was loaded", async () => {
  const { ann, base, heir } = await withBaseAndHeir()
  await ann.item(base, "A", "1")
  expect(await rebase(ann, heir, null, { revision: 1 })).toMatchObject({
    status: 409,
    body: { msg: sentences.rebasedMeanwhile, data: { conflicts: [{ id: heir.id, revision: 2 }] } },
  })
  expect(await rebase(ann, heir, null, { revision: 2 })).toMatchObject({ status: 200, body: { data: { revision: 4 } } })
})

test("watchers, open screens and the history of an heir are told of a change to its base", async () => {
  const { app, ann, collection, chain } = await withChain(["a", "b", "c"])
  const [a, , c] = chain as [Named, Named, Named]
  const origin = await app.app.listen({ port: 0, host: "127.0.0.1" })
  const hangUp = new AbortController()
  const { signal } = hangUp
  const open = async (path: string, headers: Record<string, string>) =>
    readEvents(await fetch(`${origin}/api${path}`, { headers, signal }))
  const watch = await open("/v1/variables/watch", { authorization: `Bearer ${c.key}` })
  const screen = await open(`/collections/${collection.id}/live`, { cookie: ann.cookie })
  expect((await watch.next()).value).toMatchObject({ event: "revision", data: { revision: 2 } })
  expect((await screen.next()).value).toMatchObject({ event: "state" })
  await ann.item(a, "A", "1")
  expect((await watch.next()).value).toMatchObject({ event: "revision", data: { revision: 3 } })
  const told = [await screen.next(), await screen.next(), await screen.next()]
  expect(told.map(({ value }) => value)).toMatchObject(
    chain.map(({ id }) => ({ event: "environment", data: { id, by: "someone" } })),
  )
  hangUp.abort()
  const { revisions } = (await ann.get<OutputOf<typeof history.list>>(`/environments/${c.id}/history`)).body.data
  expect(revisions[0]).toMatchObject({ number: 3, action: "environment.inherit", by: "someone", baseRevision: 3 })
})

test("an earlier revision is read as it was, with what was inherited then", async () => {
  const { ann, chain, read, revision } = await withChain(["a", "b", "c"])
  const [a, b, c] = chain as [Named, Named, Named]
  const shared = await ann.item(a, "SHARED", "1")
  await ann.item(c, "OWN", "c")
  const states = new Map<number, string>()
  const remember = async () => states.set(await revision(c), await read(c, "?format=dotenv"))
  await remember()
  await ann.put(`/collectionItem/${shared.id}`, { name: "SHARED", value: "2" })
  await remember()
  await ann.item(b, "SHARED", "b")
  await remember()
  await rebase(ann, b, null)
  await remember()
  await rebase(ann, c, null)
  await remember()
  await ann.delete(`/subcollection/${b.id}`)
  expect(states.size).toBe(5)
  for (const [number, text] of states) expect(await read(c, `?format=dotenv&revision=${number}`)).toBe(text)

  await ann.purge("environments", b)
  const gone = refused(410, sentences.inheritedPruned)
  expect((await ann.variables(c.key, "?revision=3")).body).toEqual(gone.body)
  expect((await ann.get<Whole>(`/environments/${c.id}/history/5`)).body.data).toMatchObject({
    items: [{ name: "OWN", value: "c" }],
    isInheritedPruned: true,
  })
})

testOnce("a revision whose base is no longer kept, or holds an erased value, is gone for keys", async () => {
  const { app, ann, base, heir, read } = await withBaseAndHeir()
  const item = await ann.item(base, "A", "leaked")
  await ann.put(`/collectionItem/${item.id}`, { name: "A", value: "2" })
  await ann.item(heir, "A", "own")
  await ann.item(base, "B", "3")
  await ann.post(`/environments/${base.id}/erase`, { name: "A", revision: 2 })
  const readAt = async (revision: number) => (await ann.variables(heir.key, `?revision=${revision}`)).body
  expect(await readAt(3)).toMatchObject({ msg: sentences.revisionErased })
  // It was overridden in these.
  expect(await read(heir, "?revision=5")).toBe('{"A":"own"}')
  await pruneHistory({ ...app.core }, { days: 0, newest: 2 })
  expect(await readAt(5)).toMatchObject({ A: "own" })
  for (let n = 0; n < 3; n++) await ann.put(`/subcollection/${base.id}`, { name: `base ${n}` })
  await pruneHistory({ ...app.core }, { days: 0, newest: 2 })
  expect(await readAt(6)).toMatchObject({ msg: sentences.inheritedPruned })
  expect(await read(heir)).toBe('{"A":"own","B":"3"}')
})

testOnce("the history tells what readers of an heir got, and from where", async () => {
  const { ann, base, heir } = await withBaseAndHeir()
  const item = await ann.item(base, "A", "1")
  await ann.item(heir, "B", "own")
  await ann.put(`/collectionItem/${item.id}`, { name: "A", value: "2" })
  const whole = (await ann.get<Whole>(`/environments/${heir.id}/history/4`)).body.data
  expect(whole.revision).toMatchObject({ baseId: base.id, baseRevision: 2 })
  expect(whole.items).toEqual([
    { name: "B", state: "set", value: "own" },
    { name: "A", state: "set", value: "1", inheritedFrom: base.id },
  ])
  const changes = (await ann.get<Changes>(`/environments/${heir.id}/history/5/changes`)).body.data
  expect(changes).toMatchObject({
    changes: [{ name: "A", before: { value: "1" }, after: { value: "2", inheritedFrom: base.id } }],
    isInheritedPruned: false,
  })
  const since = (await ann.get<Changes>(`/environments/${heir.id}/history/5/changes?since=1`)).body.data
  expect(since.changes.map(({ name, before, after }) => [name, before.state, after.value])).toEqual([
    ["A", "removed", "2"],
    ["B", "removed", "own"],
  ])

  const restored = await ann.post(`/environments/${heir.id}/restore`, { revision: 3, current: 5 })
  expect(restored).toMatchObject({ status: 200, body: { data: { itemCount: 0, baseId: base.id } } })
})

testOnce("what inherits from a protected environment must be protected", async () => {
  const { ann, collection, chain } = await withChain(["a", "b", "c"])
  const [a, b, c] = chain as [Named, Named, Named]
  const protect = ({ id }: { id: number }, isProtected: boolean, more = {}) =>
    ann.put(`/environments/${id}/protection`, { isProtected, ...more })
  await protect(c, true)
  expect(await protect(a, true)).toMatchObject(
    refused(409, sentences.heirsNotProtected(1), { heirs: [{ id: b.id, name: "b" }] }),
  )
  expect(await protect(a, true, { withHeirs: true })).toMatchObject({ status: 200 })
  const { subCollections } = (await ann.get<Collection>(`/collection/${collection.id}`)).body.data
  expect(subCollections.map(({ isProtected }) => isProtected)).toEqual([true, true, true])
  expect(await protect(b, false)).toMatchObject(refused(409, sentences.inheritsFromProtected))
  const open = await ann.environment("open", collection.id)
  expect(await rebase(ann, open, c)).toMatchObject(refused(409, sentences.baseProtected))
  await rebase(ann, b, null)
  expect(await protect(b, false)).toMatchObject({ status: 200 })
})

testOnce("an environment that is open again shows no value that it once inherited from a protected one", async () => {
  const { app, ann, collection, base, heir } = await withBaseAndHeir()
  await ann.item(base, "A", "protected")
  await ann.put(`/environments/${base.id}/protection`, { isProtected: true, withHeirs: true })
  await rebase(ann, heir, null)
  await ann.put(`/environments/${heir.id}/protection`, { isProtected: false })
  const bob = await app.user()
  await ann.post(`/collections/${collection.id}/members`, { who: bob.email, role: "editor" })
  const seenBy = async (one: Person) => (await one.get<Whole>(`/environments/${heir.id}/history/3`)).body.data.items
  expect(await seenBy(ann)).toMatchObject([{ name: "A", value: "protected" }])
  expect(await seenBy(bob)).toMatchObject([{ name: "A", state: "hidden", value: null }])
  const changes = (await bob.get<Changes>(`/environments/${heir.id}/history/4/changes`)).body.data.changes
  expect(changes).toMatchObject([{ name: "A", before: { state: "hidden", value: null } }])
  const { key } = await bob.apiKey(heir, "bob's")
  expect(await bob.variables(key, "?revision=3")).toMatchObject(refused(410, sentences.inheritedProtected))
})

testOnce.each(["viewer", "editor"])(
  "with the role %s, a protected base cannot be read through its heir",
  async (role) => {
    const { app, ann, collection, base, heir } = await withBaseAndHeir()
    const value = "a protected value"
    const item = await ann.item(base, "A", "an earlier value")
    await ann.put(`/collectionItem/${item.id}`, { name: "A", value })
    await ann.put(`/environments/${base.id}/protection`, { isProtected: true, withHeirs: true })
    const open = await ann.environment("open", collection.id)
    const bob = await app.user()
    await ann.post(`/collections/${collection.id}/members`, { who: bob.email, role })

    const shown = (await bob.get<EnvironmentWithInherited>(`/subcollection/${heir.id}`)).body.data
    expect(shown.inherited).toEqual([{ name: "A", value: null, environmentId: base.id }])
    for (const path of [
      `/subcollection/${heir.id}`,
      `/subcollection/all/${collection.id}`,
      `/collection/${collection.id}`,
      `/environments/${heir.id}/history`,
      `/environments/${heir.id}/history/4`,
      `/environments/${heir.id}/history/4/changes?since=1`,
      `/environments/${heir.id}/item-history?name=A`,
      `/collections/${collection.id}/env-example?environmentId=${heir.id}`,
    ]) {
      const { status, text } = await bob.get(path)
      expect([path, status, /(protected|earlier) value/.test(text)]).toEqual([path, 200, false])
    }
    const tooWeak = refused(403, sentences.roleTooWeak)
    expect(await rebase(bob, open, base)).toMatchObject(tooWeak)
    expect(await rebase(bob, heir, null)).toMatchObject(tooWeak)
    expect(await bob.delete(`/subcollection/${base.id}?copyDown=true`)).toMatchObject(tooWeak)
    expect(await bob.post("/api-key", { name: "bob's", subCollectionId: heir.id })).toMatchObject(tooWeak)
    expect(await bob.put(`/environments/${heir.id}/protection`, { isProtected: false })).toMatchObject(tooWeak)
  },
)

testOnce("a list is saved over a change that was only inherited", async () => {
  const { ann, base, heir, revision } = await withBaseAndHeir()
  const seen = await revision(heir)
  await ann.item(base, "A", "1")
  const save = () => ann.post(`/subcollection/${heir.id}/bulk?revision=${seen}`, [{ name: "B", value: "2" }])
  expect(await save()).toMatchObject({ status: 200 })
  expect(await save()).toMatchObject({ status: 409, body: { msg: sentences.changedMeanwhile } })
})

/** Every environment's current state is the one of its current revision. */
async function expectWhole({ guest }: TestApp, chain: Named[], revision: (one: Named) => Promise<number>) {
  for (const one of chain) {
    const now = await guest.variables(one.key)
    const then = await guest.variables(one.key, `?revision=${await revision(one)}`)
    expect([now.text, now.headers["etag"]]).toEqual([then.text, then.headers["etag"]])
  }
}

test("changes to a chain at the same time reach every heir", async () => {
  const { app, ann, chain, revision } = await withChain(["a", "b", "c", "d", "e"])
  const before = await Promise.all(chain.map(revision))
  const writes = Array.from({ length: 40 }, (_, index) => {
    const one = chain[(index * 3) % chain.length] as Named
    return index % 4 === 0
      ? ann.post(`/subcollection/${one.id}/bulk`, [{ name: `N${index}`, value: String(index) }])
      : ann.item(one, `N${index}`, String(index))
  })
  const reads = Array.from({ length: 40 }, (_, index) => app.guest.variables((chain[index % 5] as Named).key))
  await Promise.all([...writes, ...reads])
  await expectWhole(app, chain, revision)
  const raised = (await Promise.all(chain.map(revision))).map((number, index) => number - (before[index] ?? 0))
  // Eight writes to each, and an heir has those of all bases too.
  expect(raised).toEqual([8, 16, 24, 32, 40])
})

test("bases that are changed at the same time make no circle", async () => {
  const { app, ann, chain, collection, revision } = await withChain(["a"])
  for (const name of ["b", "c", "d"]) {
    const environment = await ann.environment(name, collection.id)
    chain.push({ ...environment, key: (await ann.apiKey(environment)).key })
    await ann.item(environment, name, name)
  }
  const [a, b, c, d] = chain as [Named, Named, Named, Named]
  await rebase(ann, b, c)
  await rebase(ann, d, a)
  const answers = await Promise.all([
    rebase(ann, a, b),
    rebase(ann, c, d),
    ann.item(a, "A", "1"),
    ann.item(d, "D", "1"),
  ])
  expect(answers.slice(0, 2).map((answer) => ("status" in answer ? answer.status : 0))).toEqual(
    expect.arrayContaining([200, 400]),
  )
  await expectWhole(app, chain, revision)
})
