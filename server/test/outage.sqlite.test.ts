import { truncate } from "node:fs/promises"
import { join } from "node:path"
import { setImmediate as nextTurn } from "node:timers/promises"
import { testApp } from "@envkeep/testing/app.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { expect, test } from "vitest"
import { sqliteFeed } from "../src/db/sqlite-feed.ts"

test("when the file can no longer be read, reads by key go on from memory and say so", async () => {
  const location = await newStoreLocation()
  const app = await testApp({ location })
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "A", "1")
  const { key } = await ann.apiKey(environment)
  const unread = await ann.apiKey(environment, "unread")
  expect(await app.guest.variables(key)).toMatchObject({ status: 200, text: '{"A":"1"}' })

  // Another process has changed something, so memory has to be held against the file; and the file is gone from the disk.
  const other = await testApp({ location })
  await other.user()
  for (const name of ["envkeep.db", "envkeep.db-wal"]) await truncate(join(location.dataDir, name), 0)
  const answer = await app.guest.variables(key)
  expect(answer).toMatchObject({ status: 200, text: '{"A":"1"}' })
  expect(answer.headers["envkeep-stale"]).toMatch(/^\d+$/)
  expect((await app.guest.variables(unread.key)).status).toBe(503)
})

test("a version that cannot be read is an outage, not a crash, and afterwards everything is looked at anew", async () => {
  let version: number | undefined = 1
  const missed: number[] = []
  const feed = sqliteFeed(
    () => {
      if (version === undefined) throw new Error("disk I/O error")
      return version
    },
    { changed: () => undefined, mayHaveMissedChanges: (lastInSyncAt) => void missed.push(lastInSyncAt) },
  )
  expect([feed.isInSync(), feed.isDatabaseDown()]).toEqual([true, false])
  const before = feed.lastInSyncAt()
  version = undefined
  // One look serves a whole turn of the event loop.
  await nextTurn()
  expect([feed.isInSync(), feed.isDatabaseDown(), feed.lastInSyncAt()]).toEqual([false, true, before])
  version = 1
  await nextTurn()
  expect([feed.isInSync(), feed.isDatabaseDown()]).toEqual([true, false])
  expect(missed).toEqual([before])
  await feed.close()
})
