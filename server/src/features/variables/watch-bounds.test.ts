import { once } from "node:events"
import { connect } from "node:net"
import type { KeyCaller } from "@envkeep/server/access/caller.ts"
import { keyCaller } from "@envkeep/server/http/bearer.ts"
import { testApp } from "@envkeep/testing/app.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { measuredApp } from "@envkeep/testing/measured.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { readerStream } from "@envkeep/testing/reader-stream.ts"
import type { LogEvent } from "kysely"
import { expect, onTestFinished, test, vi } from "vitest"
import { createWatch } from "./watch.ts"

test("clients that hang up while their key is looked up are not counted as watchers", async () => {
  const { user, db, port, app, parts } = await measuredApp()
  const ann = await user()
  const { key } = await ann.apiKey(await ann.environment())
  const request = `GET /api/v1/variables/watch HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\n\r\n`
  const connections = () => new Promise((resolve) => app.server.getConnections((_, count) => resolve(count)))

  // While all connections to the database are taken, no key is found.
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const taken = Promise.all(Array.from({ length: 10 }, () => db.connection().execute(() => released)))
  const sockets = await Promise.all(
    Array.from({ length: 50 }, async () => {
      const socket = connect(port, "127.0.0.1")
      onTestFinished(() => void socket.destroy())
      await once(socket, "connect")
      socket.write(request.repeat(2))
      return socket
    }),
  )
  await vi.waitFor(() => expect(parts.requestsInFlight()).toBe(100), eventually)
  for (const socket of sockets) socket.resetAndDestroy()
  await vi.waitFor(async () => expect(await connections()).toBe(0), eventually)
  release()
  await taken
  // One that stays is added after all of them.
  const watcher = await fetch(`http://127.0.0.1:${port}/api/v1/variables/watch`, {
    headers: { authorization: `Bearer ${key}` },
  })
  expect(watcher.status).toBe(200)
  expect([parts.watch.size(), parts.requestsInFlight()]).toEqual([1, 1])
  await watcher.body?.cancel()
  await vi.waitFor(() => expect(parts.watch.size()).toBe(0), eventually)
})

const stream = () => readerStream((event, data) => (event === "gone" ? event : data))

async function watchable(environments: number, logQuery?: (event: LogEvent) => void) {
  const app = await testApp(logQuery === undefined ? {} : { logQuery })
  const ann = await app.user()
  const keys: KeyCaller[] = []
  for (let n = 0; n < environments; n++) {
    const { key } = await ann.apiKey(await ann.environment())
    keys.push(keyCaller({ authorization: `Bearer ${key}` }, "127.0.0.1"))
  }
  return { ...app, ann, keys }
}

const parts = {
  instances: { watches: () => () => undefined },
  warn: () => undefined,
  sawRevision: () => undefined,
  refused: () => undefined,
}

test("a node that may have missed changes asks once for all watched environments", async () => {
  let queries = 0
  const { core, keys } = await watchable(20, ({ query }) => {
    if (query.sql.includes('"api_key"')) queries++
  })
  const watch = createWatch(core.db, parts)
  onTestFinished(() => watch.close())
  const streams = await Promise.all(
    keys.map(async (key) => {
      const { sent, open } = stream()
      await watch.add(key, open)
      return sent
    }),
  )
  await vi.waitFor(() => expect(streams).toEqual(keys.map(() => [{ revision: 1 }])), eventually)
  await core.bookkeep((tx) => tx.updateTable("environment").set({ revision: 2 }).execute())
  queries = 0
  for (let n = 0; n < 5; n++) watch.mayHaveMissedChanges(0)
  await vi.waitFor(() => expect(streams).toEqual(keys.map(() => [{ revision: 1 }, { revision: 2 }])), eventually)
  // The first, and one more for the calls during it.
  expect(queries).toBeLessThanOrEqual(2)
})

testOnce("a key has so many watchers; when all are taken, the collection with the most of them loses one", async () => {
  const { core, keys } = await watchable(2)
  const [first, second] = keys as [KeyCaller, KeyCaller]
  const watch = createWatch(core.db, { ...parts, bounds: { total: 3, perOwner: 2 } })
  onTestFinished(() => watch.close())
  const add = async (key: KeyCaller) => {
    const { sent, open } = stream()
    await watch.add(key, open)
    return sent
  }
  const oldest = await add(first)
  await add(first)
  const refusal = {
    bound: "watchers",
    message: "Too many clients are watching. Please close some, and try again later",
  }
  await expect(add(first)).rejects.toMatchObject({ ...refusal, code: "too_many", retryAfterSeconds: 60 })
  await add(second)
  expect(oldest).not.toContain("cut off")
  await add(second)
  expect(oldest).toContain("cut off")
  expect(watch.size()).toBe(3)
  await expect(add(second)).rejects.toMatchObject({ ...refusal, code: "too_many" })
})
