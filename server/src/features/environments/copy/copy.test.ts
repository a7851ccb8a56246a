import {
  type CopyResult,
  type Environment,
  type EnvironmentWithInherited,
  type history,
  type Level,
  limits,
  type OutputOf,
  sentences,
} from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { damageValue } from "@envkeep/testing/damaged-values.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

async function withTwo() {
  const app = await testApp()
  const ann = await app.user()
  const source = await ann.environment("staging")
  const target = await ann.environment("production", source.collectionId)
  return { app, ann, source, target, collectionId: source.collectionId }
}

interface Between {
  source: { id: number }
  target: { id: number }
}

const copy = (by: Person, { source, target }: Between, names: string[], query = "") =>
  by.post<CopyResult>(`/environments/${target.id}/copy?from=${source.id}${query}`, names)

const valuesOf = async (person: Person, environment: { id: number }) =>
  Object.fromEntries((await person.itemsOf(environment)).map(({ name, value }) => [name, value]))

const get = async (person: Person, { id }: { id: number }) =>
  (await person.get<EnvironmentWithInherited>(`/subcollection/${id}`)).body.data

const revisionsOf = async (person: Person, { id }: { id: number }) =>
  (await person.get<OutputOf<typeof history.list>>(`/environments/${id}/history`)).body.data.revisions

const refused = (status: number, msg: string, data: unknown = null) => ({ status, body: { error: true, msg, data } })

test("chosen names are copied to the byte, in one revision that names its source and can be undone", async () => {
  const { ann, source, target } = await withTwo()
  const odd = " a=b\r\n\u2028$HOME 🚀\t"
  for (const [name, value] of [
    ["NEW", odd],
    ["SAME", "the same"],
    ["OTHER", "theirs"],
    ["STAYS", "x"],
  ] as const) {
    await ann.item(source, name, value)
  }
  const kept = await ann.item(target, "OTHER", "ours")
  await ann.item(target, "SAME", "the same")
  await ann.item(target, "ONLY", "here")

  const answer = await copy(ann, { source, target }, ["NEW", "SAME", " OTHER ", "NEW"], "&note=release+7")
  expect(answer).toMatchObject({ status: 200, body: { msg: "Items copied successfully" } })
  expect(answer.body.data).toMatchObject({ id: target.id, revision: 5, itemCount: 4, copied: 2, damaged: 0 })
  expect(await valuesOf(ann, target)).toEqual({ OTHER: "theirs", SAME: "the same", ONLY: "here", NEW: odd })
  const items = await ann.itemsOf(target)
  expect(items.find(({ name }) => name === "OTHER")).toMatchObject({ id: kept.id, revision: 5 })
  expect(items.find(({ name }) => name === "SAME")).toMatchObject({ revision: 3 })
  const [revision] = await revisionsOf(ann, target)
  expect(revision).toMatchObject({
    action: "item.copy",
    added: 1,
    changed: 1,
    removed: 0,
    note: "release 7",
    source: 5,
    sourceEnvironment: { id: source.id, name: "staging" },
  })

  await ann.delete(`/subcollection/${source.id}`)
  expect((await revisionsOf(ann, target))[0]?.sourceEnvironment).toEqual({ id: source.id, name: "staging" })
  await ann.post(`/environments/${target.id}/restore`, { revision: 4, current: 5 })
  expect(await valuesOf(ann, target)).toEqual({ OTHER: "ours", SAME: "the same", ONLY: "here" })
})

testOnce("a copy of what is already there is no change", async () => {
  const { ann, source, target } = await withTwo()
  for (const environment of [source, target]) await ann.item(environment, "A", "the same value")
  const answer = await copy(ann, { source, target }, ["A"])
  expect(answer.body.data).toMatchObject({ revision: 2, copied: 0 })
  expect((await revisionsOf(ann, target))[0]?.action).toBe("item.add")
})

test("inherited values are copied, and what the target inherits with the same value is not overridden", async () => {
  const { ann, source, target, collectionId } = await withTwo()
  const base = await ann.environment("base", collectionId)
  for (const { id } of [source, target]) await ann.put(`/environments/${id}/base`, { baseId: base.id })
  await ann.item(base, "SHARED", "of the base")
  await ann.item(base, "SET", "of the base")
  await ann.item(source, "SET", "of staging")
  const other = await ann.environment("other", collectionId)

  expect((await copy(ann, { source, target: other }, ["SHARED", "SET"])).body.data.copied).toBe(2)
  expect(await valuesOf(ann, other)).toEqual({ SHARED: "of the base", SET: "of staging" })

  expect((await copy(ann, { source, target }, ["SHARED", "SET"])).body.data.copied).toBe(1)
  expect(await valuesOf(ann, target)).toEqual({ SET: "of staging" })
  // An override with another value becomes what the source has, although the base has it too.
  await copy(ann, { source: base, target }, ["SET"])
  expect(await valuesOf(ann, target)).toEqual({ SET: "of the base" })

  // Promoting to the base reaches its heirs.
  const before = (await get(ann, target)).revision
  await copy(ann, { source, target: base }, ["SET"])
  expect((await get(ann, target)).revision).toBe(before + 1)
})

testOnce("if the target or the source has changed since the preview, nothing is copied", async () => {
  const { ann, source, target } = await withTwo()
  await ann.item(source, "A", "of the source")
  const changed = await ann.item(target, "B", "of the target")
  expect(await copy(ann, { source, target }, ["A"], "&revision=1")).toMatchObject(
    refused(409, sentences.changedMeanwhile, { conflicts: [{ id: changed.id, name: "B", revision: 2 }] }),
  )
  expect(await copy(ann, { source, target }, ["A"], "&sourceRevision=1")).toMatchObject(
    refused(409, sentences.sourceChangedMeanwhile, {
      conflicts: [{ name: "A", revision: 2, by: "someone", at: expect.any(String), isDeleted: false }],
    }),
  )
  expect(await valuesOf(ann, target)).toEqual({ B: "of the target" })
  expect(await copy(ann, { source, target }, ["A"], "&revision=2&sourceRevision=2")).toMatchObject({ status: 200 })
})

testOnce("what cannot be copied is refused, and nothing is saved", async () => {
  const { app, ann, source, target } = await withTwo()
  await ann.item(source, "A", "of the source")
  const foreign = await ann.environment("elsewhere")
  await ann.item(foreign, "A", "of another collection")
  const strangers = await (await app.user()).environment()
  const missing = refused(404, "Environment not found")
  expect(await copy(ann, { source: foreign, target }, ["A"])).toMatchObject(missing)
  expect(await copy(ann, { source: strangers, target }, ["A"])).toMatchObject(missing)
  expect(await copy(ann, { source: target, target }, ["A"])).toMatchObject(refused(400, sentences.copiedIntoItself))
  expect(await copy(ann, { source, target }, ["A", "B"])).toMatchObject(refused(404, sentences.nameNotInSource))
  expect(await copy(ann, { source, target }, [])).toMatchObject(refused(400, "No data found"))
  expect(await copy(ann, { source, target }, ["A", " "])).toMatchObject(refused(400, "Item 2: Name is required"))
  const many = Array.from({ length: limits.itemsPerEnvironment + 1 }, (_, at) => `N${at}`)
  expect(await copy(ann, { source, target }, many)).toMatchObject(refused(400, sentences.tooManyNamesToCopy))
  expect(await ann.post(`/environments/${target.id}/copy`, ["A"])).toMatchObject({ status: 400 })
  expect((await get(ann, target)).revision).toBe(1)
})

testOnce("values of a protected source, and a protected target, are for maintainers", async () => {
  const { app, ann, source, target, collectionId } = await withTwo()
  await ann.item(source, "A", "of the source")
  await ann.item(target, "A", "of the target")
  await ann.put(`/environments/${target.id}/protection`, { isProtected: true })
  const as = async (role: Level) => {
    const person = await app.user()
    await ann.post(`/collections/${collectionId}/members`, { who: person.email, role })
    return person
  }
  const [reader, editor, maintainer] = [await as("reader"), await as("editor"), await as("maintainer")]
  const tooWeak = refused(403, sentences.roleTooWeak)
  expect(await copy(reader, { source: target, target: source }, ["A"])).toMatchObject(tooWeak)
  expect(await copy(editor, { source, target }, ["A"])).toMatchObject(tooWeak)
  expect(await copy(editor, { source: target, target: source }, ["A"])).toMatchObject(tooWeak)
  expect(await valuesOf(ann, source)).toEqual({ A: "of the source" })
  expect(await copy(maintainer, { source, target }, ["A"])).toMatchObject({ status: 200 })
})

testOnce("a damaged item is left out, and a damaged one of the target is replaced", async () => {
  const { app, ann, source, target } = await withTwo()
  const broken = await ann.item(source, "BROKEN", "lost for good")
  await ann.item(source, "WHOLE", "still there")
  const replaced = await ann.item(target, "WHOLE", "lost as well")
  for (const { id } of [broken, replaced]) await damageValue(app.db, id)
  const answer = await copy(ann, { source, target }, ["BROKEN", "WHOLE"])
  expect(answer.body.data).toMatchObject({ copied: 1, damaged: 1, itemCount: 1 })
  expect(await valuesOf(ann, target)).toEqual({ WHOLE: "still there" })
})

test("a new environment begins with the values, the names, or the inheritance of another one", async () => {
  const { app, ann, source, target, collectionId } = await withTwo()
  await ann.put(`/environments/${source.id}/base`, { baseId: target.id })
  await ann.item(target, "INHERITED", "from production")
  await ann.item(source, "OWN", "of staging")
  await damageValue(app.db, (await ann.item(source, "BROKEN", "lost for good")).id)
  const create = (name: string, what: string, environmentId = source.id) =>
    ann.post<Environment>("/subcollection", { name, collectionId, from: { environmentId, what } })

  const values = await create("with values", "values")
  expect(values).toMatchObject({ status: 200, body: { data: { itemCount: 2, baseId: null, damaged: 1 } } })
  expect(await valuesOf(ann, values.body.data)).toEqual({ OWN: "of staging", INHERITED: "from production" })
  expect((await revisionsOf(ann, values.body.data))[0]).toMatchObject({
    action: "item.copy",
    sourceEnvironment: { id: source.id, name: "staging" },
  })
  const names = (await create("with names", "names")).body.data
  expect(await valuesOf(ann, names)).toEqual({ OWN: "", INHERITED: "", BROKEN: "" })
  const heir = (await create("heir", "inherit")).body.data
  expect(heir).toMatchObject({ baseId: source.id, revision: 1, collectionItems: [] })
  expect((await get(ann, heir)).inherited.map(({ name }) => name)).toEqual(["OWN", "BROKEN", "INHERITED"])

  expect(await create("heir", "inherit")).toMatchObject(refused(409, sentences.environmentNameTaken))
  expect(await create("other", "keys")).toMatchObject(refused(400, "What is taken must be values, names or inherit"))
  const foreign = await ann.environment("elsewhere")
  for (const what of ["values", "names", "inherit"]) {
    expect(await create("other", what, foreign.id)).toMatchObject(refused(404, "Environment not found"))
  }
  let last = heir
  for (const name of ["third", "fourth"]) last = (await create(name, "inherit", last.id)).body.data
  expect(await create("fifth", "inherit", last.id)).toMatchObject(refused(400, sentences.tooManyLevels))
  const { body } = await ann.get<Environment[]>(`/subcollection/all/${collectionId}`)
  expect(body.data.map(({ name }) => name)).not.toContain("other")
})

testOnce("what begins with values of a protected environment, or inherits from it, is protected", async () => {
  const { ann, source, collectionId } = await withTwo()
  await ann.item(source, "A", "of the source")
  await ann.put(`/environments/${source.id}/protection`, { isProtected: true })
  const created = []
  for (const what of ["values", "names", "inherit"]) {
    const from = { environmentId: source.id, what }
    created.push((await ann.post<Environment>("/subcollection", { name: what, collectionId, from })).body.data)
  }
  expect(created.map(({ isProtected }) => isProtected)).toEqual([true, false, true])
})
