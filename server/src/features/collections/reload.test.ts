import {
  type Collection,
  heldTagsHeaderName,
  type Level,
  maxHeldTags,
  type ReloadedCollection,
} from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import fc from "fast-check"
import { expect, test } from "vitest"
import { type HeldCollection, heldTags, mergedCollection } from "../../../../web/src/lib/held-collection.ts"

/** Reads a collection as a tab does that holds this. */
async function reload(person: Person, collectionId: number, held?: HeldCollection) {
  const path = `/collection/${collectionId}`
  const answer = await (held === undefined
    ? person.get<ReloadedCollection>(`${path}?tagged=true`)
    : person.get<ReloadedCollection>(path, { [heldTagsHeaderName]: heldTags(held) }))
  expect(answer.status).toBe(200)
  const merged = mergedCollection(held, answer.body.data)
  if (merged === undefined) throw new Error("the answer counts on something that is not held")
  return { answer: answer.body.data, text: answer.text, merged }
}

const fresh = async (person: Person, collectionId: number) =>
  (await person.get<Collection>(`/collection/${collectionId}`)).body.data

function withoutTags({ subCollections, ...collection }: HeldCollection): Collection {
  return { ...collection, subCollections: subCollections.map(({ tag: _, ...environment }) => environment) }
}

const itemsIn = ({ subCollections }: ReloadedCollection) =>
  subCollections.map(({ name, sameItems, collectionItems }) => [name, sameItems ?? false, collectionItems.length])

/** Ann's, with two environments, and bob as an editor. */
async function shared(role: Level = "editor") {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const staging = await ann.environment("staging")
  const { collectionId } = staging
  const production = await ann.environment("production", collectionId)
  const token = await ann.item(staging, "TOKEN", "the first value")
  await ann.item(production, "TOKEN", "the value of production")
  const members = `/collections/${collectionId}/members`
  const added = await ann.post<{ userId: number }>(members, { who: bob.email, role })
  const give = (other: Level) => ann.put(`${members}/${added.body.data.userId}`, { role: other })
  return { ...app, ann, bob, staging, production, token, collectionId, give }
}

test("a caller that says what it holds gets what differs; one that says nothing gets what it always got", async () => {
  const { ann, staging, production, token, collectionId } = await shared()
  const plain = await ann.get(`/collection/${collectionId}`)
  expect(plain.text).not.toContain('"tag"')
  expect(plain.text).not.toContain('"unchanged"')

  const first = await reload(ann, collectionId)
  expect(itemsIn(first.answer)).toEqual([
    ["staging", false, 1],
    ["production", false, 1],
  ])
  expect(first.answer.unchanged).toEqual([])
  expect(withoutTags(first.merged)).toEqual(plain.body.data)

  const same = await reload(ann, collectionId, first.merged)
  expect(same.answer).toMatchObject({ subCollections: [], unchanged: [staging.id, production.id] })
  expect(same.merged).toEqual(first.merged)

  await ann.put(`/collectionItem/${token.id}`, { name: "TOKEN", value: "the second value" })
  const changed = await reload(ann, collectionId, same.merged)
  expect(itemsIn(changed.answer)).toEqual([["staging", false, 1]])
  expect(changed.answer.unchanged).toEqual([production.id])
  expect(changed.text).toContain("the second value")
  expect(withoutTags(changed.merged)).toEqual(await fresh(ann, collectionId))

  await ann.apiKey(production)
  const withKey = await reload(ann, collectionId, changed.merged)
  expect(itemsIn(withKey.answer)).toEqual([["production", true, 0]])
  expect(withKey.answer.subCollections[0]?.apiKeys).toHaveLength(1)
  expect(withoutTags(withKey.merged)).toEqual(await fresh(ann, collectionId))
})

testOnce("what a caller holds from another role is not called the same, nor what it may no longer see", async () => {
  const { ann, bob, production, collectionId, give } = await shared()
  let { merged } = await reload(bob, collectionId)
  for (const role of ["reader", "viewer", "maintainer", "viewer", "editor"] as const) {
    await give(role)
    const { answer, merged: next } = await reload(bob, collectionId, merged)
    expect(answer.unchanged).toEqual([])
    expect(answer.subCollections.map(({ sameItems }) => sameItems)).toEqual([undefined, undefined])
    expect(withoutTags(next)).toEqual(await fresh(bob, collectionId))
    expect(JSON.stringify(next).includes("the first value")).toBe(role !== "viewer")
    merged = next
  }
  for (const isProtected of [true, false]) {
    await ann.put(`/environments/${production.id}/protection`, { isProtected })
    const { answer, merged: next } = await reload(bob, collectionId, merged)
    expect(itemsIn(answer)).toEqual([["production", false, 1]])
    expect(JSON.stringify(next).includes("the value of production")).toBe(!isProtected)
    merged = next
  }
})

testOnce("a copy of the store that was put back has other tags, even at the same revision", async () => {
  const { ann, db, staging, token, collectionId } = await shared()
  const copy = await db.selectFrom("item").selectAll().where("id", "=", token.id).executeTakeFirstOrThrow()
  const before = await db.selectFrom("environment").selectAll().where("id", "=", staging.id).executeTakeFirstOrThrow()
  await ann.put(`/collectionItem/${token.id}`, { name: "TOKEN", value: "is lost with the store" })
  const { merged } = await reload(ann, collectionId)

  // As if the files of the store were replaced by older ones.
  await db.updateTable("item").set(copy).where("id", "=", token.id).execute()
  await db.deleteFrom("item_version").where("environment_id", "=", staging.id).where("revision", ">", 2).execute()
  await db.deleteFrom("revision").where("environment_id", "=", staging.id).where("number", ">", 2).execute()
  await db.updateTable("environment").set(before).where("id", "=", staging.id).execute()
  await ann.put(`/collectionItem/${token.id}`, { name: "TOKEN", value: "was written after that" })

  const after = await reload(ann, collectionId, merged)
  expect(after.merged.subCollections[0]?.revision).toBe(merged.subCollections[0]?.revision)
  expect(withoutTags(after.merged)).toEqual(await fresh(ann, collectionId))
  expect(after.text).toContain("was written after that")
})

testOnce("made-up tags get everything, and only for those who may read it", async () => {
  const { ann, user, collectionId } = await shared()
  const { merged } = await reload(ann, collectionId)
  const [tag = "", other = ""] = merged.subCollections.map((environment) => environment.tag)
  const whole = (await reload(ann, collectionId)).text
  for (const header of [
    "none",
    "",
    " ",
    "*",
    tag.slice(1),
    `${tag}x`,
    `${tag},${other}`,
    `${tag}  ${other}`,
    "a".repeat(22),
    `${other.slice(0, 11)}`,
    "%00%ff".repeat(100),
    Array(600).fill("b".repeat(22)).join(" "),
  ]) {
    const { status, text } = await ann.get(`/collection/${collectionId}`, { [heldTagsHeaderName]: header })
    expect({ status, text }).toEqual({ status: 200, text: whole })
  }
  // The first half of one is a claim about its items only.
  const half = await ann.get<ReloadedCollection>(`/collection/${collectionId}`, {
    [heldTagsHeaderName]: tag.slice(0, 11) + other.slice(11),
  })
  expect(half.body.data.unchanged).toEqual([])

  const stranger = await (await user()).get(`/collection/${collectionId}`, {
    [heldTagsHeaderName]: `${tag} ${other}`,
  })
  const unknown = await ann.get("/collection/999999", { [heldTagsHeaderName]: `${tag} ${other}` })
  expect([stranger.status, stranger.text]).toEqual([404, unknown.text])
})

testOnce("of more environments than a header can name, the largest are named", async () => {
  const { ann, db, staging, collectionId } = await shared()
  const rows = Array.from({ length: maxHeldTags + 20 }, (_, n) => ({
    collection_id: collectionId,
    name: `e${n}`,
    revision: 1,
    item_count: 0,
    sealed_bytes: 0,
  }))
  await db.insertInto("environment").values(rows).execute()
  const { merged } = await reload(ann, collectionId)
  const { answer, merged: next } = await reload(ann, collectionId, merged)
  expect(answer.unchanged).toHaveLength(maxHeldTags)
  expect(answer.unchanged).toContain(staging.id)
  expect(answer.subCollections).toHaveLength(22)
  expect(next).toEqual(merged)
})

test("a collection that is too large to load at once is reloaded in the same way", async () => {
  const { ann, db, staging, collectionId } = await shared()
  const third = await ann.environment("third", collectionId)
  const { merged } = await reload(ann, collectionId)
  await ann.item(staging, "OTHER", "another value")
  await ann.apiKey(third)
  // As if there were more than is loaded at once. The counters show nowhere else.
  await db.updateTable("environment").set({ sealed_bytes: 20_000_000 }).where("id", "=", staging.id).execute()
  const { answer, merged: next } = await reload(ann, collectionId, merged)
  expect(itemsIn(answer)).toEqual([
    ["third", true, 0],
    ["staging", false, 2],
  ])
  expect(withoutTags(next)).toEqual(await fresh(ann, collectionId))
  expect((await reload(ann, collectionId, next)).answer.subCollections).toEqual([])
})

testOnce("a value that did not open is read again, because the server may open it by now", async () => {
  const { ann, db, staging, token, collectionId } = await shared()
  const { sealed_value } = await db
    .selectFrom("item")
    .select("sealed_value")
    .where("id", "=", token.id)
    .executeTakeFirstOrThrow()
  const seal = (sealed: Uint8Array) =>
    db.updateTable("item").set({ sealed_value: sealed }).where("id", "=", token.id).execute()
  await seal(sealed_value.slice(1))
  const { merged } = await reload(ann, collectionId)
  expect(merged.subCollections[0]?.collectionItems[0]?.value).toBe(null)
  await seal(sealed_value)
  const { answer, merged: next } = await reload(ann, collectionId, merged)
  expect(answer.subCollections.map(({ id }) => id)).toEqual([staging.id])
  expect(next.subCollections[0]?.collectionItems[0]?.value).toBe("the first value")
})

const levels: Level[] = ["viewer", "reader", "editor", "maintainer", "owner"]
const names = ["A", "B", "C", "D"]

testOnce("whatever is changed while a tab holds something, a reload makes it what is read afresh", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const step = fc.record({
    kind: fc.constantFrom(...kinds),
    which: fc.nat({ max: 11 }),
    other: fc.nat({ max: 11 }),
    text: fc.constantFrom("x", "a longer value"),
  })
  const oneOfEach = kinds.map((kind) => ({ kind, which: 0, other: 1, text: "x" }))
  const done = new Set<string>()
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (steps) => {
      const first = await ann.environment("first")
      const { collectionId } = first
      for (const environment of [first, await ann.environment("second", collectionId)]) {
        for (const name of names.slice(2)) await ann.item(environment, name, `the value of ${name}`)
        await ann.apiKey(environment)
      }
      const member = await ann.post<{ userId: number }>(`/collections/${collectionId}/members`, {
        who: bob.email,
        role: "editor",
      })
      const held = new Map<Person, HeldCollection>()
      for (const { kind, which, other, text } of steps) {
        const shown = await fresh(ann, collectionId)
        const environment = shown.subCollections[which % Math.max(1, shown.subCollections.length)]
        const target = { ann, app, collectionId, userId: member.body.data.userId, environment, shown }
        if (await change(kind, { ...target, which, other, text })) done.add(kind)
        // Sometimes a tab has missed several changes.
        for (const person of other % 3 === 0 ? [ann] : [ann, bob]) {
          const { merged } = await reload(person, collectionId, held.get(person))
          expect(withoutTags(merged)).toEqual(await fresh(person, collectionId))
          held.set(person, merged)
        }
      }
    }),
    { numRuns: 10, examples: [[oneOfEach]] },
  )
  expect([...done].sort()).toEqual([...kinds].sort())
})

interface Target {
  ann: Person
  app: Awaited<ReturnType<typeof testApp>>
  collectionId: number
  userId: number
  /** Undefined if all are in the trash. */
  environment: Collection["subCollections"][number] | undefined
  shown: Collection
  which: number
  other: number
  text: string
}

/** What is impossible is refused, and changes nothing. */
const calls = {
  addItem: ({ ann, environment, other, text }: Target) =>
    ann.post("/collectionItem", { name: names[other % 4], value: text, subCollectionId: environment?.id }),
  setItem: ({ ann, environment, other, text }: Target) => {
    const item = environment?.collectionItems[other % Math.max(1, environment.collectionItems.length)]
    return ann.put(`/collectionItem/${item?.id}`, { name: item?.name, value: `${text}${other}` })
  },
  renameItem: ({ ann, environment, other }: Target) => {
    const item = environment?.collectionItems[0]
    return ann.put(`/collectionItem/${item?.id}`, { name: `${names[other % 4]}2`, value: item?.value })
  },
  swapItems: ({ ann, environment }: Target) => {
    const [one, two] = environment?.collectionItems ?? []
    const items = [
      { id: one?.id, name: two?.name, value: one?.value },
      { id: two?.id, name: one?.name, value: two?.value },
    ]
    return ann.put(`/environments/${environment?.id}/items?note=swapped`, items)
  },
  removeItem: ({ ann, environment }: Target) => ann.delete(`/collectionItem/${environment?.collectionItems[0]?.id}`),
  saveAll: ({ ann, environment, other, text }: Target) =>
    ann.post(
      `/subcollection/${environment?.id}/bulk?note=why`,
      names.slice(other % 4).map((name) => ({ name, value: text })),
    ),
  restoreRevision: ({ ann, environment }: Target) =>
    ann.post(`/environments/${environment?.id}/restore`, { revision: (environment?.revision ?? 0) - 1 }),
  copyItems: ({ ann, environment, shown, other }: Target) => {
    const from = shown.subCollections[other % Math.max(1, shown.subCollections.length)]
    return ann.post(
      `/environments/${environment?.id}/copy?from=${from?.id}`,
      from?.collectionItems.map(({ name }) => name),
    )
  },
  createEnvironment: ({ ann, collectionId, environment, which, other }: Target) => {
    const from = { environmentId: environment?.id, what: which % 2 === 0 ? "inherit" : "values" }
    return ann.post("/subcollection", { name: `e${other}`, collectionId, from })
  },
  renameEnvironment: ({ ann, environment, other }: Target) =>
    ann.put(`/subcollection/${environment?.id}`, { name: `renamed${other}` }),
  protect: ({ ann, environment, other }: Target) =>
    ann.put(`/environments/${environment?.id}/protection`, { isProtected: other % 2 === 1, withHeirs: true }),
  rebase: ({ ann, environment, shown, other }: Target) =>
    ann.put(`/environments/${environment?.id}/base`, { baseId: shown.subCollections[other]?.id ?? null }),
  trash: ({ ann, environment, other }: Target) =>
    ann.delete(`/subcollection/${environment?.id}?copyDown=${other % 2 === 0}`),
  restore: async ({ ann, collectionId }: Target) => {
    const listed = await ann.get<{ environments: { id: number }[] }>(`/collections/${collectionId}/trash`)
    const [last] = Object.values(listed.body.data).flat()
    return ann.post(`/trash/environments/${(last as { id: number } | undefined)?.id}/restore`)
  },
  createKey: ({ ann, environment, other }: Target) =>
    ann.post("/api-key", { name: `key${other}`, subCollectionId: environment?.id }),
  changeKey: ({ ann, environment, text }: Target) =>
    ann.put(`/api-key/${environment?.apiKeys[0]?.id}`, { note: text, allowedAddresses: ["203.0.113.7"] }),
  rollKey: ({ ann, environment }: Target) =>
    ann.post(`/api-key/${environment?.apiKeys[0]?.id}/roll`, { overlapMinutes: 5 }),
  disableKey: ({ ann, environment, other }: Target) =>
    ann.put(`/api-key/${environment?.apiKeys[0]?.id}/disabled`, { isDisabled: other % 2 === 1 }),
  removeKey: ({ ann, environment }: Target) => ann.delete(`/api-key/${environment?.apiKeys[0]?.id}`),
  renameUser: ({ ann, other }: Target) => ann.put("/users", { username: `ann${other}`, email: ann.email }),
  describeCollection: ({ ann, collectionId, text }: Target) =>
    ann.put(`/collection/${collectionId}`, { name: "renamed", description: text }),
  changeRole: ({ ann, collectionId, userId, other }: Target) =>
    ann.put(`/collections/${collectionId}/members/${userId}`, { role: levels[other % levels.length] }),
}

/** By jobs, and by the clock. */
const unasked = {
  useKeys: ({ app, other }: Target) =>
    app.db
      .updateTable("api_key")
      .set({ last_used_at: 1_800_000_000_000 + other, last_used_by: "curl/8", last_refused_at: other + 1 })
      .execute(),
  expireKeys: ({ app }: Target) => app.db.updateTable("api_key").set({ expires_at: 1_700_000_000_000 }).execute(),
}
const kinds = [...Object.keys(calls), ...Object.keys(unasked), "nothing"] as const

/** Whether it was done. */
async function change(kind: string, target: Target): Promise<boolean> {
  if (kind in calls) return (await calls[kind as keyof typeof calls](target)).status === 200
  if (kind in unasked) await unasked[kind as keyof typeof unasked](target)
  return true
}
