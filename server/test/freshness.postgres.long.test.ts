import { keepReading } from "@envkeep/testing/keep-reading.ts"
import { threeNodesWithProxy } from "@envkeep/testing/three-nodes-with-proxy.ts"
import { expect, test } from "vitest"

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
