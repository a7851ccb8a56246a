import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { ApiKey, Collection, CollectionSummary, User } from "@envkeep/contract"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { run } from "@envkeep/testing/process.ts"
import { copyPrivately, opened, restored } from "@envkeep/testing/restored.ts"
import { beforeAll, expect, test } from "vitest"
import { migrations } from "../src/db/migrations/list.ts"
import { appliedMigrations } from "../src/db/migrator.ts"

// What the last release wrote must open, and go on, with this one. Its README says what is in it.

const fixture = join(import.meta.dirname, "../../testing/fixtures/store-0.1.0")

interface Expected {
  people: { user: User; collections: Collection[]; apiKeys: ApiKey[]; products?: unknown[] }[]
  keys: { key: string; revision: number; variables: string }[]
  deletedKey: string
}

const expected: Expected = JSON.parse(await readFile(join(fixture, "expected.json"), "utf8"))

// As the server's own process has it: what is made in the data folder is private.
beforeAll(() => {
  const before = process.umask(0o077)
  return () => void process.umask(before)
})

type App = Awaited<ReturnType<typeof opened>>

test("a store of the last release opens, with everything as it was, and can be written to", async () => {
  const location = { dataDir: (await newStoreLocation()).dataDir, databaseUrl: undefined }
  for (const name of ["envkeep.db", "root.key"]) await copyPrivately(join(fixture, name), join(location.dataDir, name))
  const app = await opened(location)
  for (const person of expected.people) expect(await everythingOf(app, person.user.email)).toMatchObject(person)
  for (const { key, revision } of expected.keys) {
    expect((await app.guest.variables(key)).headers["envkeep-revision"]).toBe(String(revision))
  }
  await expectKeysToRead(app)
  await expectToTakeWrites(app)
  await expectNoFaults(app)
}, 90_000)

test("a backup of the last release restores on either engine, and can be written to", async () => {
  const app = await restored(
    { location: { dataDir: fixture, databaseUrl: undefined } },
    join(fixture, "envkeep.backup"),
  )
  for (const person of expected.people) {
    // A restore raises the revisions, so that none comes again with other content.
    const before = JSON.parse(JSON.stringify(person, (name, value) => (name === "revision" ? undefined : value)))
    expect(await everythingOf(app, person.user.email)).toMatchObject(before)
  }
  await expectKeysToRead(app)
  await expectToTakeWrites(app)
  await expectNoFaults(app)
}, 90_000)

async function everythingOf(app: App, email: string) {
  const person = await app.logIn(email)
  const { data: user } = (await person.get<User>("/users/me")).body
  const { data: list } = (await person.get<CollectionSummary[]>("/collection")).body
  const collections: Collection[] = []
  for (const { id } of list) collections.push((await person.get<Collection>(`/collection/${id}`)).body.data)
  const { data: apiKeys } = (await person.get<ApiKey[]>("/api-key")).body
  const products = (await person.get<{ products: unknown[] } | null>("/hrkljush/product/list")).body.data?.products
  return { user, collections, apiKeys, products }
}

async function expectKeysToRead({ guest }: App): Promise<void> {
  for (const { key, variables } of expected.keys) expect((await guest.variables(key)).text).toBe(variables)
  expect((await guest.variables(expected.deletedKey)).status).toBe(401)
}

/** In an environment whose first values were sealed by an older cipher than the rest. */
async function expectToTakeWrites(app: App): Promise<void> {
  const ann = await app.logIn("ann@example.com")
  const environment = expected.people[0]?.collections[0]?.subCollections[0]
  const key = environment?.apiKeys[0]?.key
  const [first, second] = environment?.collectionItems ?? []
  if (!environment || !key || !first || !second) throw new Error("there is nothing to write to")

  const before = Number((await ann.variables(key)).headers["envkeep-revision"])
  const textBefore = (await ann.variables(key)).text
  const added = await ann.item(environment, "ADDED", "written by this release")
  expect((await ann.put(`/collectionItem/${first.id}`, { name: first.name, value: "changed since" })).status).toBe(200)
  expect((await ann.delete(`/collectionItem/${second.id}`)).status).toBe(200)
  const { headers, text } = await ann.variables(key)
  const { [second.name]: _, ...kept } = JSON.parse(expected.keys[0]?.variables ?? "{}")
  expect(JSON.parse(text)).toEqual({ ...kept, [first.name]: "changed since", ADDED: "written by this release" })
  expect(Number(headers["envkeep-revision"])).toBeGreaterThan(before)

  expect((await ann.variables(key, `?revision=${before}`)).text).toBe(textBefore)
  expect((await ann.variables(key, "?revision=1")).status).toBe(410)
  const saved = [{ name: "ONLY", value: "what was saved as a whole" }]
  expect((await ann.post(`/subcollection/${environment.id}/bulk`, saved)).status).toBe(200)
  const anotherKey = await ann.apiKey(environment, "made by this release")
  expect((await ann.variables(anotherKey.key)).text).toBe('{"ONLY":"what was saved as a whole"}')

  const ids = expected.people.flatMap(({ collections }) => collections.flatMap(idsOfItems))
  expect(added.id).toBeGreaterThan(Math.max(...ids))
}

function idsOfItems({ subCollections }: Collection): number[] {
  return subCollections.flatMap(({ collectionItems }) => collectionItems.map(({ id }) => id))
}

async function expectNoFaults({ db, location }: App): Promise<void> {
  expect(await appliedMigrations(db)).toEqual(migrations.map(({ name }) => name))
  const { out } = await run(location, { args: ["doctor"] }).ended
  expect(out).toMatch(/^ok: All \d+ items open$|^ok: The one item opens$/m)
  // A machine whose clock is behind the day on which the store was written may run this too.
  expect(out.split("\n").filter((line) => line.startsWith("fault") && !line.includes("The clock says"))).toEqual([])
}
