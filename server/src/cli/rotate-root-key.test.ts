import { readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type Collection, type CollectionSummary, sentences } from "@envkeep/contract"
import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { backUp, backupFile, type LogQuery, restore, rotate } from "@envkeep/testing/commands.ts"
import { engine, newStoreLocation } from "@envkeep/testing/database.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { opened } from "@envkeep/testing/restored.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import { openVault } from "../keys/root-key.ts"

/** Two nodes on one store, and a user with a few collections; `seenBy` says what she sees through a node. */
async function twoNodes(env: Record<string, string> = {}) {
  const app = await testApp({ env })
  const other = await testApp({ env, location: app.location })
  const ann = await app.user()
  for (const name of ["one", "two", "three"]) await addTo(ann, name)
  const seenBy = async (node: TestApp, isLookedAt: (at: number, count: number) => boolean = () => true) => {
    const { data } = (await node.guest.get<CollectionSummary[]>("/collection", { cookie: ann.cookie })).body
    const whole = data
      .filter((_, at) => isLookedAt(at, data.length))
      .map(({ id }) => node.guest.get<Collection>(`/collection/${id}`, { cookie: ann.cookie }))
    return (await Promise.all(whole)).map(({ body }) => [
      body.data.name,
      body.data.subCollections[0]?.collectionItems[0]?.value,
      body.data.subCollections[0]?.apiKeys[0]?.key !== null,
    ])
  }
  const rootKey = async () => (await readFile(join(app.location.dataDir, "root.key"), "utf8")).trim()
  return { app, other, ann, seenBy, rootKey, location: app.location }
}

/** A collection with an environment, a value like its name, and an API key; each call must succeed. */
async function addTo(ann: Person, name: string): Promise<void> {
  const environment = await ann.environment("production", (await ann.collection(name)).id)
  const item = await ann.item(environment, "NAME", name)
  const { key } = await ann.apiKey(environment)
  expect([item.value, (await ann.variables(key)).text]).toEqual([name, `{"NAME":"${name}"}`])
}

/** A job of a node that opens something with its key in the middle of a rotation would cross the bridge. */
function withoutJobs(): void {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
}

const seen = (...names: string[]) => names.map((name) => [name, name, true])
const three = seen("one", "two", "three")

/** What a server that starts with this key after the rotation would say. */
async function startWith({ db, location }: TestApp, rootKey: string): Promise<string> {
  const where = { dataDir: location.dataDir, rootKey: Buffer.from(rootKey, "hex") }
  return openVault(db, where, () => undefined).then(
    () => "opens",
    (error: Error) => error.message,
  )
}

testOnce("a key in a file is replaced while servers read and write, and every request succeeds", async () => {
  const { app, other, ann, seenBy, rootKey, location } = await twoNodes()
  const idle = await testApp({ location })
  const old = await rootKey()
  const names = ["one", "two", "three"]
  const underWay: Promise<void>[] = []
  let inside = false
  // Between any two steps one node writes and both read; nothing may fail, and nothing may stay under the old key. Within
  // a step a writer would have to wait for its end, which only PostgreSQL lets it do without blocking this process.
  const logQuery: LogQuery = async ({ query }) => {
    if (/^(begin|start)/.test(query.sql)) inside = true
    if (/^commit/.test(query.sql)) inside = false
    const name = `during ${names.length}`
    if (!inside || engine === "postgres") {
      names.push(name)
      underWay.push(addTo(ann, name))
    }
    if (!inside) await Promise.all(underWay)
    // A collection that is being filled has no value yet; one that cannot be opened would be null. The oldest and the newest
    // stand for all: there are more after every step.
    for (const [one, value, isOpen] of await seenBy(other, (at, count) => at < 3 || at >= count - 3))
      expect([value === undefined ? one : value, isOpen]).toEqual([one, true])
  }
  const { exitCode, out, err } = await rotate(location, { logQuery })
  expect([exitCode, err]).toEqual([0, []])
  await Promise.all(underWay)
  expect(names.length).toBeGreaterThan(8)
  expect(await rootKey()).not.toBe(old)

  // The idle node was not told until now, and there is no bridge left to cross.
  for (const node of [app, other, idle, await testApp({ location })]) {
    expect((await seenBy(node)).toSorted()).toEqual(seen(...names).toSorted())
  }
  await addTo(ann, "afterwards")
  const { body } = await ann.get("/environments/1/history/2")
  expect(body.data).toMatchObject({ revision: { number: 2 }, items: [{ name: "NAME", state: "set", value: "one" }] })
  expect(await startWith(app, await rootKey())).toBe("opens")
  expect(await startWith(app, old)).toMatch(/^The root key does not fit this store/)

  const kept = (await readdir(location.dataDir)).filter((name) => name.startsWith("root.key")).toSorted()
  expect(kept).toEqual(["root.key", expect.stringMatching(/^root\.key\.until-\d{8}T\d{6}Z$/)])
  for (const name of kept) expect((await stat(join(location.dataDir, name))).mode & 0o777).toBe(0o600)
  expect((await readFile(join(location.dataDir, kept[1] ?? ""), "utf8")).trim()).toBe(old)
  expect(out.join("\n")).toContain(`The old one is kept in ${join(location.dataDir, kept[1] ?? "")}`)
  expect(out.join("\n")).not.toContain(await rootKey())
})

testOnce("ended at any step, everything is readable, also after a restart; run again, it is finished", async () => {
  const { app, other, seenBy, rootKey, location } = await twoNodes()
  const olds: string[] = []
  let steps = 1
  for (; ; steps++) {
    const old = await rootKey()
    olds.push(old)
    let left = steps
    const die: LogQuery = () => {
      if (--left <= 0) throw new Error("ended here")
    }
    const ended = await rotate(location, { logQuery: die }).then(
      () => false,
      (error: Error) => error.message === "ended here",
    )
    if (!ended) break
    expect(await seenBy(other)).toEqual(three)
    expect(await startWith(app, await rootKey())).toBe("opens")
    await rotate(location)
    expect(await rootKey()).not.toBe(old)
    expect(await startWith(app, old)).toMatch(/^The root key does not fit/)
  }
  expect(steps).toBeGreaterThan(8)
  const names = (await readdir(location.dataDir)).filter((name) => name.startsWith("root.key.until-"))
  const kept = await Promise.all(names.map((name) => readFile(join(location.dataDir, name), "utf8")))
  // Each old key is kept, and once; a run that was ended at its very end was whole, and the next one another rotation.
  expect(kept.map((text) => text.trim())).toEqual(expect.arrayContaining(olds))
  expect(new Set(kept).size).toBe(kept.length)
  for (const node of [app, other]) expect(await seenBy(node)).toEqual(three)
  expect(await app.db.selectFrom("root_key_bridge").selectAll().execute()).toEqual([])
  expect(await readdir(location.dataDir)).not.toContain("root.key.next")
})

test("a key in the settings is replaced in two steps, with both working in between", async () => {
  const old = "11".repeat(32)
  const { app, other, ann, seenBy, location } = await twoNodes({ ENVKEEP_ROOT_KEY: old })
  const file = join(location.dataDir, "root.key.next")

  const first = await rotate(location, { env: { ENVKEEP_ROOT_KEY: old } })
  expect(first.out).toEqual([
    `The new root key is in ${file}, and wraps the keys of 3 collections`,
    expect.stringMatching(/^Set ENVKEEP_ROOT_KEY to it on every node/),
    expect.stringMatching(/^When every node has it, run `npm run rotate-root-key -- --finish`/),
  ])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  const next = (await readFile(file, "utf8")).trim()
  expect(await readdir(location.dataDir)).not.toContain("root.key")

  await addTo(ann, "meanwhile")
  const expected = [...three, ...seen("meanwhile")]
  const renewed = await testApp({ env: { ENVKEEP_ROOT_KEY: next }, location })
  const restarted = await testApp({ env: { ENVKEEP_ROOT_KEY: old }, location })
  for (const node of [app, other, renewed, restarted]) expect(await seenBy(node)).toEqual(expected)

  const finish = (key: string) => rotate(location, { args: ["--finish"], env: { ENVKEEP_ROOT_KEY: key } })
  await expect(finish(old)).rejects.toMatchObject({
    exitCode: 78,
    message: "ENVKEEP_ROOT_KEY is still the old root key. Set the new one on every node, then finish",
  })
  expect((await rotate(location, { env: { ENVKEEP_ROOT_KEY: next } })).out[0]).toContain("is the new root key here")
  expect(await startWith(app, old)).toBe("opens")

  expect(await finish(next)).toMatchObject({ exitCode: 0, err: [] })
  expect(await startWith(app, next)).toBe("opens")
  expect(await startWith(app, old)).toMatch(/^The root key does not fit/)
  expect(await seenBy(renewed)).toEqual(expected)
  expect(await readdir(location.dataDir)).not.toContain("root.key.next")
  expect((await finish(next)).out).toEqual(["The root key is not being replaced: nothing to finish"])
})

testOnce("a new key may be brought along; a wrong one is refused before anything is done", async () => {
  const old = "11".repeat(32)
  const { app, seenBy, location } = await twoNodes({ ENVKEEP_ROOT_KEY: old })
  const file = join((await newStoreLocation()).dataDir, "new-key")
  const start = (path: string) => rotate(location, { args: ["--new-key-file", path], env: { ENVKEEP_ROOT_KEY: old } })
  await expect(start(file)).rejects.toMatchObject({ message: `There is no file ${file}` })
  await writeFile(file, "not a key")
  await expect(start(file)).rejects.toMatchObject({
    message: expect.stringContaining("is damaged: it must be 32 bytes"),
  })
  await writeFile(file, old)
  await expect(start(file)).rejects.toMatchObject({ message: `The key in ${file} is the root key already` })

  await writeFile(file, "22".repeat(32))
  expect((await start(file)).out[0]).toBe(`The new root key is in ${file}, and wraps the keys of 3 collections`)
  expect(await startWith(app, "22".repeat(32))).toBe("opens")
  expect(await seenBy(app)).toEqual(three)

  await expect(rotate(location, { env: { ENVKEEP_ROOT_KEY: "33".repeat(32) } })).rejects.toMatchObject({ exitCode: 78 })
  expect(await rotate(location, { args: ["--now"] })).toMatchObject({ exitCode: 2 })
})

test("a collection whose key was damaged before is named, and does not stop the others from being moved", async () => {
  const { app, seenBy, location } = await twoNodes()
  const [damaged] = await app.db.selectFrom("collection").select("id").where("name", "=", "two").execute()
  await app.db
    .updateTable("collection")
    .set({ data_key: Buffer.alloc(61, 1) })
    .where("name", "=", "two")
    .execute()
  expect(await rotate(location)).toMatchObject({
    exitCode: 0,
    out: [
      expect.stringContaining("wraps the keys of 2 collections"),
      expect.any(String),
      ...more(location.databaseUrl),
    ],
    err: [`the key of the collection two (id ${damaged?.id}) was damaged before and stays so`],
  })
  expect(await seenBy(app)).toEqual([
    ["one", "one", true],
    ["two", null, false],
    ["three", "three", true],
  ])
})

function more(databaseUrl: string | undefined): string[] {
  return databaseUrl === undefined ? [] : ["Nodes with a data folder of their own need the new file too"]
}

testOnce(
  "a backup from before the rotation is restored with the key of that time, and its owner is told which",
  async () => {
    const { app, other, ann, rootKey, location } = await twoNodes()
    const old = await rootKey()
    const file = await backupFile()
    await backUp(location, file)
    await rotate(location)
    const [kept] = (await readdir(location.dataDir)).filter((name) => name.startsWith("root.key.until"))
    await app.close()
    await other.close()
    await expect(restore(location, file, "--force")).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringContaining(`${join(location.dataDir, kept ?? "?")} is its key`),
    })
    await writeFile(join(location.dataDir, "root.key"), old)
    expect((await restore(location, file, "--force")).exitCode).toBe(0)
    const again = await (await opened(location)).logIn(ann.email)
    expect((await again.get<CollectionSummary[]>("/collection")).body.data.map(({ name }) => name)).toEqual([
      "one",
      "two",
      "three",
    ])
  },
)

/** What a node whose root key was replaced elsewhere answers to a key, to the screens and to its load balancer. */
async function answersOf({ app, guest }: TestApp, ann: Person, key: string) {
  const cookie = { cookie: ann.cookie }
  const [{ id, subCollections }] = (await ann.get<[CollectionSummary]>("/collection")).body.data
  const [{ id: environmentId = 0 } = {}] = subCollections
  const item = { name: "NEW", value: "a new value", subCollectionId: environmentId }
  const answers = [
    await guest.variables(key),
    await guest.get(`/collection/${id}`, cookie),
    await guest.get(`/subcollection/${environmentId}`, cookie),
    await guest.get("/api-key", cookie),
    await guest.post("/collectionItem", item, cookie),
    await guest.post("/collection", { name: "new" }, cookie),
  ]
  const ready = await app.inject("/readyz")
  return {
    ready: [ready.statusCode, ready.json().reason],
    statuses: new Set(answers.map(({ status }) => status)),
    messages: new Set(answers.map(({ body }) => body.msg)),
  }
}

const rootKeyIsWrong = {
  ready: [503, "The root key does not match the database"],
  statuses: new Set([503]),
  messages: new Set([sentences.rootKeyWrong]),
}

test("a node that still has the old key says that its root key is wrong, and not that data is damaged", async () => {
  withoutJobs()
  const old = "11".repeat(32)
  const { app, other, ann, seenBy, location } = await twoNodes({ ENVKEEP_ROOT_KEY: old })
  const { key } = await ann.apiKey(await ann.environment("production", (await ann.collection("four")).id))
  await rotate(location, { env: { ENVKEEP_ROOT_KEY: old } })
  const next = (await readFile(join(location.dataDir, "root.key.next"), "utf8")).trim()
  expect(await seenBy(app)).toHaveLength(4)
  await rotate(location, { args: ["--finish"], env: { ENVKEEP_ROOT_KEY: next } })

  expect(await answersOf(other, ann, key)).toEqual(rootKeyIsWrong)
  // This one crossed the bridge in time.
  expect((await app.guest.variables(key)).text).toBe("{}")
  expect((await app.app.inject("/readyz")).statusCode).toBe(200)
})
