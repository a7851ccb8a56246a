import { threeNodes } from "@envkeep/testing/cluster.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { keepReading } from "@envkeep/testing/readers.ts"
import { listeningWire } from "@envkeep/testing/wire.ts"
import pg from "pg"
import { expect, onTestFinished, test } from "vitest"

// Most of it is waiting for a second to pass, a few times over; a busy machine needs longer for all of it.
const timeout = 120_000

/** Three nodes under reading load, the last of which reaches PostgreSQL over a wire that can fail without a word. */
async function world() {
  const { databaseUrl } = await newStoreLocation()
  const wire = await listeningWire(databaseUrl as string)
  const { urls, visitor } = await threeNodes({
    locationFor: ({ dataDir }, node) => ({ dataDir, databaseUrl: node === 2 ? wire.url : databaseUrl }),
  })
  const ann = visitor()
  await ann.register(0, "ann@example.com", "password")
  await ann.login(0, "ann@example.com", "password")
  const collection = await ann.collection(0)
  const database = new pg.Client(databaseUrl)
  await database.connect()
  onTestFinished(() => database.end())
  return { urls, ann, collection, wire, database }
}

test("under load, each change is seen on three nodes within a second, whatever happens to their connections", {
  timeout,
}, async () => {
  const { urls, ann, collection, wire, database } = await world()
  const environment = await ann.environment(1, collection.id)
  const { key } = await ann.apiKey(2, environment)
  const readers = keepReading(urls, key)
  let written = 0
  const change = async () => {
    const value = ++written
    expect((await ann.save(value, environment, String(value))).status).toBe(200)
    // A later change may already show.
    readers.expect((answer) => Number(JSON.parse(answer).A) >= value)
  }
  const changeForAWhile = async () => {
    for (let n = 0; n < 8; n++) await change()
    await readers.untilDue()
  }

  await changeForAWhile()
  expect(readers.wrong).toEqual([])

  // Every node loses the connection on which it listens, and changes are made while it gets a new one.
  const { rowCount } = await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'envkeep listening' and datname = current_database()`,
  )
  expect(rowCount).toBe(3)
  await changeForAWhile()
  expect(readers.wrong).toEqual([])

  // One node's connection goes dead without a word, and comes back.
  wire.lose(true)
  await changeForAWhile()
  expect(readers.wrong).toEqual([])
  wire.lose(false)
  await changeForAWhile()
  expect(readers.wrong).toEqual([])
})

test("a deleted key, environment or collection is refused by three nodes within a second, and a new name is seen", {
  timeout,
}, async () => {
  const { urls, ann, collection } = await world()
  const other = await ann.collection(1)
  const environments = await Promise.all([
    ann.environment(0, collection.id, "its key goes"),
    ann.environment(1, collection.id, "it goes itself"),
    ann.environment(2, other.id, "its collection goes"),
  ])
  const keys = await Promise.all(environments.map((environment, node) => ann.apiKey(node, environment)))
  const readers = keys.map(({ key }) => keepReading(urls, key))
  // Every node has answered each key, and so holds it in memory.
  for (const reader of readers) await reader.untilDue()

  const paths = [`/api-key/${keys[0]?.id}`, `/subcollection/${environments[1]?.id}`, `/collection/${other.id}`]
  const renamed = await ann.call(2, "PUT", `/subcollection/${environments[0]?.id}`, { name: "renamed" })
  expect(renamed.status).toBe(200)
  for (const url of urls) {
    const described = await fetch(`${url}/api/v1/key`, { headers: { authorization: `Bearer ${keys[0]?.key}` } })
    expect(await described.json()).toMatchObject({ data: { environment: "renamed", revision: 2 } })
  }
  for (const [node, path] of paths.entries()) {
    expect((await ann.call(node + 1, "DELETE", path)).status).toBe(200)
    readers[node]?.expect((answer) => answer === "401")
  }
  for (const reader of readers) await reader.untilDue()
  expect(readers.map(({ wrong }) => wrong)).toEqual([[], [], []])
})
