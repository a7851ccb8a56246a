import { threeNodes } from "@envkeep/testing/cluster.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { keepReading } from "@envkeep/testing/keep-reading.ts"
import { silentDatabaseProxy } from "@envkeep/testing/silent-database-proxy.ts"
import pg from "pg"
import { expect, onTestFinished, test } from "vitest"

// The tests wait for a second to pass several times, and a busy machine needs longer.

/** Three nodes, the last of which reaches PostgreSQL through a proxy that can fail silently. */
async function threeNodesWithProxy() {
  const { databaseUrl } = await newStoreLocation()
  const proxy = await silentDatabaseProxy(databaseUrl as string)
  const { urls, visitor } = await threeNodes({
    locationFor: ({ dataDir }, node) => ({ dataDir, databaseUrl: node === 2 ? proxy.url : databaseUrl }),
  })
  const ann = visitor()
  await ann.register(0, "ann@example.com", "a good password")
  await ann.login(0, "ann@example.com", "a good password")
  const collection = await ann.collection(0)
  const database = new pg.Client(databaseUrl)
  await database.connect()
  onTestFinished(() => database.end())
  return { urls, ann, collection, proxy, database }
}

test("under load, each change is visible on three nodes within a second, even if their connections fail", async () => {
  const { urls, ann, collection, proxy, database } = await threeNodesWithProxy()
  const environment = await ann.environment(1, collection.id)
  const { key } = await ann.apiKey(2, environment)
  const readers = keepReading(urls, key)
  let changeCount = 0
  const change = async () => {
    const value = ++changeCount
    expect((await ann.save(value, environment, String(value))).status).toBe(200)
    // A later change may already be visible.
    readers.expectWithinASecond((answer) => Number(JSON.parse(answer).A) >= value)
  }
  const changeRepeatedly = async () => {
    for (let n = 0; n < 8; n++) await change()
    await readers.untilChecked()
  }

  await changeRepeatedly()
  expect(readers.wrongReads).toEqual([])

  // Every node loses the connection on which it listens. Changes are made while it reconnects.
  const { rowCount } = await database.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where application_name = 'envkeep listening' and datname = current_database()`,
  )
  expect(rowCount).toBe(3)
  await changeRepeatedly()
  expect(readers.wrongReads).toEqual([])

  // One node's connection fails silently, and recovers.
  proxy.startDropping()
  await changeRepeatedly()
  expect(readers.wrongReads).toEqual([])
  proxy.stopDropping()
  await changeRepeatedly()
  expect(readers.wrongReads).toEqual([])
})

test("three nodes refuse a deleted key, environment or collection within a second, and show a new name", async () => {
  const { urls, ann, collection } = await threeNodesWithProxy()
  const other = await ann.collection(1)
  const environments = await Promise.all([
    ann.environment(0, collection.id, "its key is deleted"),
    ann.environment(1, collection.id, "it is deleted itself"),
    ann.environment(2, other.id, "its collection is deleted"),
  ])
  const keys = await Promise.all(environments.map((environment, node) => ann.apiKey(node, environment)))
  const readers = keys.map(({ key }) => keepReading(urls, key))
  // Once every node has answered each key, it has it in memory.
  for (const reader of readers) await reader.untilChecked()

  const paths = [`/api-key/${keys[0]?.id}`, `/subcollection/${environments[1]?.id}`, `/collection/${other.id}`]
  const renamed = await ann.call(2, "PUT", `/subcollection/${environments[0]?.id}`, { name: "renamed" })
  expect(renamed.status).toBe(200)
  for (const url of urls) {
    const described = await fetch(`${url}/api/v1/key`, { headers: { authorization: `Bearer ${keys[0]?.key}` } })
    expect(await described.json()).toMatchObject({ data: { environment: "renamed", revision: 2 } })
  }
  for (const [node, path] of paths.entries()) {
    expect((await ann.call(node + 1, "DELETE", path)).status).toBe(200)
    readers[node]?.expectWithinASecond((answer) => answer === "401")
  }
  for (const reader of readers) await reader.untilChecked()
  expect(readers.map(({ wrongReads }) => wrongReads)).toEqual([[], [], []])
})
