import { truncate } from "node:fs/promises"
import { join } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import type { ApiKey } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import { sqliteFeed } from "../src/db/sqlite-feed.ts"

test("if the database file can no longer be read, reads by key are served from memory and say so", async () => {
  const location = await newStoreLocation()
  const app = await testApp({ location })
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "A", "1")
  const { key } = await ann.apiKey(environment)
  const unread = await ann.apiKey(environment, "unread")
  expect(await app.guest.variables(key)).toMatchObject({ status: 200, text: '{"A":"1"}' })

  // Another process has changed something, so memory must be compared with the file, but the file is empty.
  const other = await testApp({ location })
  await other.user()
  for (const name of ["envkeep.db", "envkeep.db-wal"]) await truncate(join(location.dataDir, name), 0)
  const answer = await app.guest.variables(key)
  expect(answer).toMatchObject({ status: 200, text: '{"A":"1"}' })
  expect(answer.headers["envkeep-stale"]).toMatch(/^\d+$/)
  expect((await app.guest.variables(unread.key)).status).toBe(503)
})

test("while the database cannot be read, a key's expiry and its addresses still count", async () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  const location = await newStoreLocation()
  const app = await testApp({ location })
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "A", "1")
  const make = async (settings: object) =>
    String((await ann.post<ApiKey>("/api-key", { subCollectionId: environment.id, ...settings })).body.data.key)
  const limited = await make({ name: "limited", allowedAddresses: ["127.0.0.0/8"] })
  const expiring = await make({ name: "expiring", expiresAt: new Date(Date.now() + 60_000).toISOString() })
  const from = async (key: string, remoteAddress = "127.0.0.1") =>
    (await app.app.inject({ url: "/api/v1/variables", remoteAddress, headers: { authorization: `Bearer ${key}` } }))
      .statusCode
  expect([await from(limited), await from(expiring), await from(limited, "10.0.0.1")]).toEqual([200, 200, 401])

  const other = await testApp({ location })
  await other.user()
  for (const name of ["envkeep.db", "envkeep.db-wal"]) await truncate(join(location.dataDir, name), 0)
  // The refused try from elsewhere has not made the node forget what the key gets.
  expect([await from(limited), await from(expiring), await from(limited, "10.0.0.1")]).toEqual([200, 200, 503])
  vi.setSystemTime(Date.now() + 60_000)
  expect([await from(limited), await from(expiring)]).toEqual([200, 503])
})

test("if the file's version cannot be read, that is an outage and not a crash, and afterwards all is reloaded", async () => {
  let version: number | undefined = 1
  const missed: number[] = []
  const states: string[] = []
  const feed = sqliteFeed(
    () => {
      if (version === undefined) throw new Error("disk I/O error")
      return version
    },
    {
      changed: () => undefined,
      mayHaveMissedChanges: (lastInSyncAt) => void missed.push(lastInSyncAt),
      databaseIs: (state) => void states.push(state),
    },
  )
  expect([feed.isInSync(), feed.isDatabaseDown()]).toEqual([true, false])
  const before = feed.lastInSyncAt()
  version = undefined
  // The version is read at most once in each turn of the event loop.
  await nextTurn()
  expect([feed.isInSync(), feed.isDatabaseDown(), feed.lastInSyncAt()]).toEqual([false, true, before])
  version = 1
  await nextTurn()
  expect([feed.isInSync(), feed.isDatabaseDown()]).toEqual([true, false])
  expect(missed).toEqual([before])
  expect(states).toEqual(["down", "back"])
  await feed.close()
})
