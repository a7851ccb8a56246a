import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { ApiKey, Collection, CollectionSummary, history, OutputOf, User } from "@envkeep/contract"
import { verifyAudit } from "@envkeep/testing/commands.ts"
import { engine, newStoreLocation } from "@envkeep/testing/database.ts"
import { run } from "@envkeep/testing/process.ts"
import { copyPrivately, opened, restored } from "@envkeep/testing/restored.ts"
import { beforeAll, expect, test } from "vitest"
import { type ChainHead, headText } from "../src/audit/encode.ts"
import { migrations } from "../src/db/migrations/list.ts"
import { appliedMigrations } from "../src/db/migrator.ts"

// What earlier versions wrote must open, and go on, with this one. Each fixture has a README that says what is in it.

interface Expected {
  people: { user: User; collections: Collection[]; apiKeys: ApiKey[]; products?: unknown[] }[]
  keys: { key: string; revision: number; variables: string }[]
  deletedKey: string
  /** Of versions that have a history, a trash and an audit trail. */
  histories?: { environmentId: number; revisions: Revision[]; states: { number: number; items: PastItem[] }[] }[]
  trash?: Record<"collections" | "environments", { id: number; name: string }[]>
  trashed?: Record<"collection" | "environment", { id: number; key: string; variables: string }>
  events?: { id: number }[]
  head?: ChainHead
}

type Revision = OutputOf<typeof history.list>["revisions"][number]
type PastItem = OutputOf<typeof history.get>["items"][number]

const fixtures = await Promise.all(
  ["store-0.1.0", "store-before-history", "store-before-roles"].map(async (name) => {
    const folder = join(import.meta.dirname, "../../testing/fixtures", name)
    const expected: Expected = JSON.parse(await readFile(join(folder, "expected.json"), "utf8"))
    return { name, folder, expected }
  }),
)

/** However long ago the fixture was written, what is in its trash stays there. */
const env = { ENVKEEP_TRASH_DAYS: "0" }

// As the server's own process has it: what is made in the data folder is private.
beforeAll(() => {
  const before = process.umask(0o077)
  return () => void process.umask(before)
})

type App = Awaited<ReturnType<typeof opened>>

// The embedded store is the same for both engines.
test.each(engine === "sqlite" ? fixtures : [])(
  "$name opens, with everything as it was, and can be written to",
  async ({ folder, expected }) => {
    const location = { dataDir: (await newStoreLocation()).dataDir, databaseUrl: undefined }
    for (const name of ["envkeep.db", "root.key"]) await copyPrivately(join(folder, name), join(location.dataDir, name))
    const app = await opened(location, env)
    for (const person of expected.people) expect(await everythingOf(app, person.user.email)).toMatchObject(person)
    for (const { key, revision } of expected.keys) {
      expect((await app.guest.variables(key)).headers["envkeep-revision"]).toBe(String(revision))
    }
    await expectToGoOn(app, expected)
  },
)

test.each(fixtures)(
  "the backup of $name restores on either engine, and can be written to",
  async ({ folder, expected }) => {
    const backup = join(folder, "envkeep.backup")
    const app = await restored({ location: { dataDir: folder, databaseUrl: undefined } }, backup, { env })
    for (const person of expected.people) {
      // A restore raises the revisions, so that none comes again with other content.
      const before = JSON.parse(JSON.stringify(person, (name, value) => (name === "revision" ? undefined : value)))
      expect(await everythingOf(app, person.user.email)).toMatchObject(before)
    }
    await expectToGoOn(app, expected)
  },
)

async function expectToGoOn(app: App, expected: Expected): Promise<void> {
  await expectKeysToRead(app, expected)
  await expectHistories(app, expected)
  await expectTrash(app, expected)
  await expectEvents(app, expected)
  await expectToTakeWrites(app, expected)
  await expectNoFaults(app)
}

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

async function expectKeysToRead({ guest }: App, expected: Expected): Promise<void> {
  for (const { key, variables } of expected.keys) expect((await guest.variables(key)).text).toBe(variables)
  expect((await guest.variables(expected.deletedKey)).status).toBe(401)
}

async function expectHistories(app: App, { histories = [] }: Expected): Promise<void> {
  const ann = await app.logIn("ann@example.com")
  for (const { environmentId, revisions, states } of histories) {
    const path = `/environments/${environmentId}/history`
    const found = (await ann.get<OutputOf<typeof history.list>>(path)).body.data.revisions
    // A restore from a backup adds one.
    expect(found.slice(-revisions.length)).toMatchObject(revisions)
    for (const { number, items } of states) {
      expect((await ann.get(`${path}/${number}`)).body.data).toMatchObject({ items })
    }
  }
}

async function expectTrash(app: App, { trash, trashed }: Expected): Promise<void> {
  if (trash === undefined || trashed === undefined) return
  const ann = await app.logIn("ann@example.com")
  const [shop] = (await ann.get<CollectionSummary[]>("/collection")).body.data
  expect((await ann.get("/trash")).body.data).toMatchObject({ entries: trash.collections })
  expect((await ann.get(`/collections/${shop?.id}/trash`)).body.data).toMatchObject({ entries: trash.environments })
  for (const [kind, { id, key, variables }] of Object.entries(trashed)) {
    expect((await ann.variables(key)).status).toBe(401)
    expect((await ann.post(`/trash/${kind}s/${id}/restore`)).status).toBe(200)
    expect((await ann.variables(key)).text).toBe(variables)
  }
}

async function expectEvents(app: App, { events, head }: Expected): Promise<void> {
  if (events === undefined || head === undefined) return
  const ann = await app.logIn("ann@example.com")
  const [shop] = (await ann.get<CollectionSummary[]>("/collection")).body.data
  const { text } = await ann.get(`/collections/${shop?.id}/activity/export`)
  const found = text.trimEnd().split("\n")
  const ids = new Set(events.map(({ id }) => id))
  expect(found.map((line) => JSON.parse(line)).filter(({ id }) => ids.has(id))).toMatchObject(events)
  expect(await verifyAudit(app.location, "--head", headText(head))).toMatchObject({ exitCode: 0 })
}

/** In 0.1.0, the first values of this environment were sealed by an older cipher than the rest. */
async function expectToTakeWrites(app: App, expected: Expected): Promise<void> {
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
  const hadHistory = expected.histories !== undefined
  expect((await ann.variables(key, "?revision=1")).status).toBe(hadHistory ? 200 : 410)
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
