import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { limits } from "@envkeep/contract"
import { eventually } from "@envkeep/testing/eventually.ts"
import { measuredApp } from "@envkeep/testing/measured.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import type { LogEvent } from "kysely"
import { expect, onTestFinished, vi } from "vitest"

// YAML writes each of these characters as six, and systemd refuses them.
const widest = "\u007f"

/** On a busy machine, a reader that does not read must not be disconnected before the test has looked. */
const timeouts = { headersMs: 600_000, requestMs: 600_000, idleMs: 600_000 }

async function withLargeEnvironment(mebibytes: number) {
  const queries: string[] = []
  // Of the reads themselves: what a key may open, and the items. Jobs make queries of their own.
  const logQuery = ({ query }: LogEvent) => {
    if (/"item"|"environment"\."revision"/.test(query.sql)) queries.push(query.sql)
  }
  const app = await measuredApp({ logQuery, timeouts })
  const ann = await app.user()
  const environment = await ann.environment()
  const { key } = await ann.apiKey(environment)
  let changes = 0
  const change = async () => {
    const value = widest.repeat(64 * 1024)
    const large = Array.from({ length: mebibytes * 16 }, (_, n) => ({ name: `NAME_${n}`, value }))
    const list = [...large.slice(1), { name: "CHANGES", value: String(++changes) }]
    expect((await ann.post(`/subcollection/${environment.id}/bulk`, list)).status).toBe(200)
    queries.length = 0
  }
  await change()
  return { ...app, ann, environment, key, queries, change, neverRead }

  /** A connection that asks for the variables and does not read the answer. */
  async function neverRead(bearer = key): Promise<Socket> {
    const socket = connect(app.port, "127.0.0.1").pause()
    onTestFinished(() => void socket.destroy())
    socket.on("error", () => undefined)
    socket.write(`GET /api/v1/variables?format=yaml HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${bearer}\r\n\r\n`)
    await once(socket, "readable")
    return socket
  }
}

test("sixty readers that do not read share one body", async () => {
  const { neverRead, parts } = await withLargeEnvironment(1)
  await neverRead()
  const bodyBytes = parts.reading.unsent.bytes()
  expect(bodyBytes).toBeGreaterThan(5_500_000)
  const before = process.memoryUsage().rss
  await Promise.all(Array.from({ length: 60 }, () => neverRead()))
  expect(parts.reading.unsent.bytes()).toBe(bodyBytes)
  expect(process.memoryUsage().rss - before).toBeLessThan(25 * bodyBytes)
})

test("what is known of a body that is too large for the cache costs one query: 304, HEAD and a refusal", async () => {
  const { guest, key, queries } = await withLargeEnvironment(4)
  const read = await guest.variables(key, "?format=yaml")
  expect(read.status).toBe(200)
  const etag = String(read.headers["etag"])
  const authorization = `Bearer ${key}`
  const refused = await guest.variables(key, "?format=systemd")

  queries.length = 0
  expect(await guest.variables(key, "?format=yaml", { "if-none-match": `"x", ${etag}` })).toMatchObject({ status: 304 })
  expect(queries).toHaveLength(1)
  const url = "/api/v1/variables?format=yaml"
  const head = await guest.send({ method: "HEAD", url, headers: { authorization } })
  expect(head).toMatchObject({ status: 200, text: "", headers: { etag, "content-length": String(read.text.length) } })
  expect(queries).toHaveLength(2)
  expect(refused.status).toBe(422)
  expect((await guest.variables(key, "?format=systemd")).text).toBe(refused.text)
  expect(queries).toHaveLength(3)
})

test("keys that read at the same time share one rendering, and other requests are served during it", async () => {
  const { guest, ann, environment, key, queries } = await withLargeEnvironment(4)
  const others = await Promise.all(["a", "b", "c", "d"].map((name) => ann.apiKey(environment, name)))
  queries.length = 0
  const reads = Promise.all([key, ...others.map(({ key }) => key)].map((one) => guest.variables(one, "?format=yaml")))
  let turns = 0
  let isOver = false
  const countTurns = () => {
    turns++
    if (!isOver) setImmediate(countTurns)
  }
  await vi.waitFor(() => expect(queries.some((sql) => sql.includes('"item"'))).toBe(true), {
    ...eventually,
    interval: 1,
  })
  setImmediate(countTurns)
  const answers = await reads
  isOver = true
  expect(new Set(answers.map(({ status, text }) => `${status} ${text.length}`)).size).toBe(1)
  expect(queries.filter((sql) => sql.includes('"item"'))).toHaveLength(1)
  // Sixty-four values, of which each takes longer than a piece of work should.
  expect(turns).toBeGreaterThan(30)
})

test("readers that leave too much unread are refused, readers of other collections are not", async () => {
  const { guest, ann, key, change, neverRead, parts } = await withLargeEnvironment(4)
  const other = await ann.environment("other")
  await ann.item(other, "A", "1")
  const otherKey = await ann.apiKey(other, "other")
  const sockets: Socket[] = []
  for (let n = 0; n < 2; n++) {
    sockets.push(await neverRead())
    await change()
  }
  const refused = await guest.variables(key, "?format=yaml")
  expect(refused).toMatchObject({
    status: 503,
    body: {
      msg: "Too many large answers are waiting to be read. Please read them, and try again in a few seconds",
    },
  })
  expect(refused.headers["retry-after"]).toBe("5")
  expect(await guest.variables(otherKey.key, "?format=yaml")).toMatchObject({ status: 200, text: '"A": "1"\n' })

  for (const socket of sockets) socket.destroy()
  await vi.waitFor(() => expect(parts.reading.unsent.bytes()).toBe(0), eventually)
  expect((await guest.variables(key, "?format=yaml")).status).toBe(200)
})

test("readers of many large revisions who do not wait for each other are served within the bounds of memory", async () => {
  const app = await measuredApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const { key } = await ann.apiKey(environment)
  const value = "x".repeat(64 * 1024 - 100)
  const count = Math.floor(limits.environmentBytes / 2 / value.length)
  for (let n = 0; n < 8; n++) {
    const list = Array.from({ length: count }, (_, at) => ({ name: `NAME_${at}`, value: `${n}${value}` }))
    expect((await ann.post(`/subcollection/${environment.id}/bulk`, list)).status).toBe(200)
  }
  const url = `http://127.0.0.1:${app.port}/api/v1/variables`
  const statuses = await Promise.all(
    Array.from({ length: 32 }, async (_, n) => {
      const response = await fetch(`${url}?revision=${2 + (n % 8)}`, { headers: { authorization: `Bearer ${key}` } })
      const body = Object.values((await response.json()) as object)
      return [response.status, body.length, body.every((one) => String(one).startsWith(String(n % 8)))]
    }),
  )
  expect(statuses).toEqual(Array.from({ length: 32 }, () => [200, count, true]))
  expect(app.parts.reading.unsent.bytes()).toBe(0)
})
