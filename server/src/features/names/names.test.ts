import { type About, type EnvironmentNames, limits, type StorageUse, sentences } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { backUp, backupFile, callCommand } from "@envkeep/testing/commands.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { restored } from "@envkeep/testing/restored.ts"
import { expect, test } from "vitest"
import { doctorCommand } from "../../cli/doctor.ts"
import { recountStoredBytes } from "../../core/stored-bytes.ts"

const plain = { description: "", isRequired: false, isSecret: true, kind: "text", choices: [], example: "" } as const

async function described() {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const path = `/collections/${environment.collectionId}`
  const list = async (person: Person = ann) => (await person.get<About[]>(`${path}/names`)).body.data
  return { app, ann, environment, collectionId: environment.collectionId, path, list }
}

const usedBytes = async (person: Person) => (await person.get<StorageUse>("/users/me/storage")).body.data.usedBytes

test("a name is described, field by field, and the description is removed", async () => {
  const { ann, path, list } = await described()
  expect(await list()).toEqual([])
  const port = { ...plain, name: "PORT", description: "Where it listens", kind: "port" }
  expect(
    await ann.put(`${path}/names`, { name: " PORT ", description: "Where it listens", kind: "port" }),
  ).toMatchObject({
    status: 200,
    body: { error: false, msg: "Description saved", data: port },
  })
  await ann.put(`${path}/names`, { name: "PORT", isRequired: true, isSecret: false, example: "3000" })
  await ann.put(`${path}/names`, { name: "LEVEL", kind: "choice", choices: ["debug", "info"] })
  const level = { ...plain, name: "LEVEL", kind: "choice", choices: ["debug", "info"] }
  expect(await list()).toEqual([level, { ...port, isRequired: true, isSecret: false, example: "3000" }])

  // Of another kind, there is nothing to choose.
  await ann.put(`${path}/names`, { name: "LEVEL", kind: "text" })
  expect((await list())[0]).toEqual({ ...plain, name: "LEVEL" })

  expect((await ann.delete(`${path}/names?name=LEVEL`)).body.msg).toBe("Description removed")
  expect(await ann.delete(`${path}/names?name=LEVEL`)).toMatchObject({
    status: 404,
    body: { msg: "Description not found" },
  })
  expect((await list()).map(({ name }) => name)).toEqual(["PORT"])
})

test("many names are described at once, all or none", async () => {
  const { ann, path, list } = await described()
  await ann.put(`${path}/names`, { name: "B", isRequired: true })
  const many = [
    { name: "C", description: "c" },
    { name: "B", description: "b" },
  ]
  expect(await ann.post(`${path}/names`, many)).toMatchObject({ status: 200, body: { msg: "Descriptions saved" } })
  const saved = [
    { ...plain, name: "B", description: "b", isRequired: true },
    { ...plain, name: "C", description: "c" },
  ]
  expect(await list()).toEqual(saved)
  const refused = await ann.post(`${path}/names`, [{ name: "A" }, { name: "B", kind: "choice" }])
  expect(refused).toMatchObject({ status: 400, body: { msg: sentences.choicesMissing } })
  expect(await list()).toEqual(saved)
})

const refusals: [body: object, sentence: string | RegExp][] = [
  [{ name: " " }, "Name is required"],
  [{ name: "A=B" }, "Name cannot contain an equals sign or a line break"],
  [{ name: "A", description: "x".repeat(1_001) }, "Description can be at most 1000 characters"],
  [{ name: "A", example: "x".repeat(1_001) }, "Example can be at most 1000 characters"],
  [{ name: "A", kind: "colour" }, /^Kind must be one of text, number, /],
  [{ name: "A", kind: "choice" }, "Please list what can be chosen"],
  [{ name: "A", kind: "choice", choices: [""] }, "A choice cannot be empty"],
  [{ name: "A", kind: "choice", choices: ["a", "a"] }, "Two choices are the same"],
  [
    { name: "A", kind: "choice", choices: Array.from({ length: 51 }, (_, at) => `${at}`) },
    "A name can have at most 50 choices",
  ],
  [{ name: "A", isRequired: "yes" }, "Required must be true or false"],
  [{ name: "A", value: "secret" }, "Unknown field: value"],
]

testOnce("a description with a fault is refused", async () => {
  const { ann, path, list } = await described()
  for (const [body, sentence] of refusals) {
    const answer = await ann.put(`${path}/names`, body)
    const expected = typeof sentence === "string" ? sentence : expect.stringMatching(sentence)
    expect([answer.status, answer.body.msg]).toEqual([400, expected])
  }
  expect(await list()).toEqual([])
})

testOnce("a list that is too long, names one twice or is empty is refused", async () => {
  const { ann, path } = await described()
  const send = async (names: object[]) => (await ann.post(`${path}/names`, names)).body.msg
  expect(await send([])).toBe("No data found")
  expect(await send([{ name: "A" }, { name: "A " }])).toBe("Item 2: Two descriptions are about the same name")
  const long = Array.from({ length: limits.namesPerSave + 1 }, (_, at) => ({ name: `N${at}` }))
  expect(await send(long)).toBe("At most 1,000 names can be described together")
})

testOnce("a collection has so many described names, with so much text, and no more", async () => {
  const { app, ann, path, collectionId, list } = await described()
  const many = Array.from({ length: limits.namesPerSave }, (_, at) => ({ name: `N${at}` }))
  await ann.post(`${path}/names`, many)
  expect(await list()).toHaveLength(limits.namesPerSave)
  const set = (values: { described_count?: number; described_bytes?: number }) =>
    app.db.updateTable("collection").set(values).where("id", "=", collectionId).execute()

  await set({ described_count: limits.describedNames - 1 })
  expect((await ann.put(`${path}/names`, { name: "LAST" })).status).toBe(200)
  expect(await ann.put(`${path}/names`, { name: "MORE" })).toMatchObject({
    status: 400,
    body: { msg: "A collection can have at most 10,000 described names" },
  })
  expect((await ann.put(`${path}/names`, { name: "LAST", isRequired: true })).status).toBe(200)
  expect((await ann.delete(`${path}/names?name=LAST`)).status).toBe(200)

  await set({ described_bytes: limits.describedBytes })
  expect(await ann.put(`${path}/names`, { name: "N1", description: "longer than before" })).toMatchObject({
    status: 400,
    body: { msg: "The descriptions of a collection can take at most 4 MiB" },
  })
})

testOnce("open screens are told of a description, and of nothing if it is the same", async () => {
  const { app, ann, environment, collectionId, path } = await described()
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  const events = readEvents(
    await fetch(`${url}/api/collections/${collectionId}/live`, { headers: { cookie: ann.cookie } }),
  )
  await events.next()
  await ann.put(`${path}/names`, { name: "A", description: "a" })
  expect(await events.next()).toMatchObject({ value: { event: "list" } })
  await ann.put(`${path}/names`, { name: "A", description: "a" })
  await ann.item(environment, "A", "a value")
  expect(await events.next()).toMatchObject({ value: { event: "environment" } })
  await ann.delete(`${path}/names?name=A`)
  expect(await events.next()).toMatchObject({ value: { event: "list" } })
  await events.return(undefined)
})

testOnce("keys read on from memory while names are described", async () => {
  const { app, ann, environment, path } = await described()
  await ann.item(environment, "A", "a value")
  const { key } = await ann.apiKey(environment)
  const { etag } = (await app.guest.variables(key)).headers
  await ann.put(`${path}/names`, { name: "A", description: "a" })
  expect((await app.guest.variables(key)).headers["etag"]).toBe(etag)
})

test("descriptions count towards the quota of who pays, also after a transfer and a purge", async () => {
  const { app, ann, collectionId, path } = await described()
  const bob = await app.user()
  const [ofAnn, ofBob] = [await usedBytes(ann), await usedBytes(bob)]
  await ann.post(`${path}/names`, [{ name: "A", description: "ä".repeat(100) }, { name: "B" }])
  const grown = (await usedBytes(ann)) - ofAnn
  expect(grown).toBeGreaterThan(2 * limits.rowBytes + 200)
  await ann.put(`${path}/names`, { name: "A", description: "" })
  expect(await usedBytes(ann)).toBe(ofAnn + grown - 200)
  await ann.delete(`${path}/names?name=B`)
  const left = (await usedBytes(ann)) - ofAnn

  const { body } = await bob.get<{ id: number }>("/users/me")
  await ann.post(`${path}/members`, { who: bob.email, role: "owner" })
  await ann.post(`${path}/transfer`, { userId: body.data.id })
  await bob.post(`${path}/take-over`)
  expect(await usedBytes(ann)).toBe(0)
  expect(await usedBytes(bob)).toBe(ofBob + ofAnn + left)
  expect(await recountStoredBytes(app.db)).toBe(0)

  await bob.delete(`/collection/${collectionId}`)
  await bob.post(`/trash/collections/${collectionId}/purge`, { name: "app" })
  expect(await usedBytes(bob)).toBe(ofBob)
  expect(await app.db.selectFrom("described_name").selectAll().execute()).toEqual([])
})

testOnce("a backup brings descriptions back, and the doctor counts them right", async () => {
  const { app, ann, path, list } = await described()
  await ann.put(`${path}/names`, { name: "A", kind: "choice", choices: ["ä", '"'], example: "ä" })
  const file = await backupFile()
  await backUp(app.location, file)
  const there = await restored(app, file)
  expect(await list(await there.logIn(ann.email))).toEqual(await list())
  const { out } = await callCommand(doctorCommand, there.location)
  expect(out.filter((line) => line.includes("wrong"))).toEqual([])
})

testOnce("a .env.example has the names of all environments or of one, never a value, and viewers get it", async () => {
  const { app, ann, environment, collectionId, path } = await described()
  const bob = await app.user()
  await ann.post(`${path}/members`, { who: bob.email, role: "viewer" })
  const staging = await ann.environment("staging", collectionId)
  await ann.item(environment, "TOKEN", "a secret value")
  await ann.item(staging, "ONLY_STAGING", "another secret value")
  await ann.put(`/environments/${environment.id}/protection`, { isProtected: true })
  await ann.put(`${path}/names`, { name: "PORT", isRequired: true, kind: "port", example: "3000" })
  await ann.put(`${path}/names`, { name: "TOKEN", description: "From the console" })
  await ann.put(`${path}/names`, { name: "UNUSED", description: "Nowhere yet" })

  const textOf = async (query = "") => (await bob.get<{ text: string }>(`${path}/env-example${query}`)).body.data?.text
  const port = "# @required @type=port\nPORT=3000\n"
  const token = "# From the console\nTOKEN=\n"
  expect(await textOf()).toBe(`ONLY_STAGING=\n\n${port}\n${token}\n# Nowhere yet\nUNUSED=\n`)
  expect(await textOf(`?environmentId=${environment.id}`)).toBe(`${port}\n${token}`)
  const elsewhere = await bob.environment()
  for (const id of [elsewhere.id, 987_654_321]) {
    expect(await bob.get(`${path}/env-example?environmentId=${id}`)).toMatchObject({
      status: 404,
      body: { msg: "Environment not found" },
    })
  }
})

test("the .env.example of an environment has the names that it inherits", async () => {
  const { ann, environment, collectionId, path } = await described()
  const [base, heir] = [await ann.environment("base", collectionId), await ann.environment("heir", collectionId)]
  await ann.put(`/environments/${environment.id}/base`, { baseId: base.id })
  await ann.put(`/environments/${heir.id}/base`, { baseId: environment.id })
  await ann.item(base, "FROM_BASE", "a secret value")
  await ann.item(environment, "FROM_MIDDLE", "a secret value")
  await ann.item(heir, "OWN", "a secret value")
  const textOf = async ({ id }: { id: number }) =>
    (await ann.get<{ text: string }>(`${path}/env-example?environmentId=${id}`)).body.data.text
  expect(await textOf(heir)).toBe("FROM_BASE=\n\nFROM_MIDDLE=\n\nOWN=\n")
  expect(await textOf(environment)).toBe("FROM_BASE=\n\nFROM_MIDDLE=\n")
})

test("more names than one batch are told completely, sorted, and each once", async () => {
  const { ann, environment, collectionId, path } = await described()
  const other = await ann.environment("staging", collectionId)
  const named = (from: number, to: number) =>
    // Backwards, so that no order is there by chance. The emoji comes before U+FFFD in the order of code units only.
    Array.from({ length: to - from }, (_, at) => `N_${to - at - 1}`).concat("n_\ud83d\ude00", "n_\ufffd")
  const [some, more] = [named(0, 2_500), named(2_000, 4_500)]
  for (const [{ id }, names] of [
    [environment, some],
    [other, more],
  ] as const) {
    await ann.post(
      `/subcollection/${id}/bulk`,
      names.map((name) => ({ name, value: "a value" })),
    )
  }
  await ann.put(`${path}/names`, { name: "N_2200", example: "3000" })

  const listed = (await ann.get<EnvironmentNames[]>(`${path}/environment-names`)).body.data
  expect(listed.map(({ names }) => names)).toEqual([some.toSorted(), more.toSorted()])
  const all = [...new Set([...some, ...more])].toSorted()
  const { text } = (await ann.get<{ text: string }>(`${path}/env-example`)).body.data
  const print = (name: string) => (/^\w+$/.test(name) ? `${name}=${name === "N_2200" ? "3000" : ""}\n` : undefined)
  expect(text.split("\n\n").map((line) => `${line.trimEnd()}\n`)).toEqual(
    all.map((name) => print(name) ?? `# ${name} cannot be in a .env file\n`),
  )
})

testOnce("which names each environment sets itself is told without values, to its owner too", async () => {
  const { ann, environment, path } = await described()
  const other = await ann.environment("staging", environment.collectionId)
  await ann.item(environment, "B", "not-to-be-told")
  await ann.item(environment, "A", "nor-this-one")
  await ann.put(`/environments/${other.id}/base`, { baseId: environment.id })

  const answer = await ann.get<EnvironmentNames[]>(`${path}/environment-names`)
  const unset = { isProtected: false, baseId: null, revision: 3 }
  expect(answer.body.data).toEqual([
    { ...unset, id: environment.id, name: "production", names: ["A", "B"] },
    { ...unset, id: other.id, name: "staging", names: [], baseId: environment.id, revision: 2 },
  ])
  expect(answer.text).not.toMatch(/told|nor-this/)
})
