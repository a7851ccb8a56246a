import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { Readable } from "node:stream"
import { testApp } from "@envkeep/testing/app.ts"
import { addCollections } from "@envkeep/testing/collections.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { createHttpClient, envelopeOf } from "@envkeep/testing/fuzz/http-client.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import fastify from "fastify"
import { expect, onTestFinished, vi } from "vitest"
import type { Shares } from "../bounds/shares.ts"
import { createHttpShares, type HttpShares, holdAnswer } from "./shares.ts"

/** The app, and what its requests hold. Each person has an address of their own. */
async function sharingApp() {
  let shares: HttpShares | undefined
  const app = await testApp({
    env: { ENVKEEP_TRUST_PROXY: "true" },
    metrics: {
      logQuery: () => undefined,
      publish: async () => undefined,
      measureApp(_, parts) {
        shares = parts.shares
      },
    },
  })
  if (shares === undefined) throw new Error("the app has no shares")
  const known = shares
  return {
    ...app,
    shares: known,
    expectNothingHeld: () =>
      vi.waitFor(() => {
        const nothing = { taken: 0, waiting: 0 }
        expect(Object.entries(known).map(([name, share]) => [name, share.state()])).toEqual(
          Object.keys(known).map((name) => [name, nothing]),
        )
      }, eventually),
  }
}

async function idOf(user: Person): Promise<number> {
  return (await user.get<{ id: number }>("/users/me")).body.data.id
}

const times = <Made>(count: number, make: () => Made) => Array.from({ length: count }, make)

/** Takes a share again and again, so that the caller's own requests have to wait. */
function takeAll(shares: Shares, caller: string, { count, amount = 1 }: { count: number; amount?: number }) {
  let isOver = () => {}
  const over = new Promise<void>((resolve) => {
    isOver = resolve
  })
  const uses = Array.from({ length: count }, () => shares.use(caller, () => over, amount))
  return {
    async giveBack() {
      isOver()
      await Promise.all(uses)
    },
  }
}

test("bodies that would be costly to parse never reach the parser, and a long list reaches it in pieces", async () => {
  const { app, user, expectNothingHeld } = await sharingApp()
  const ann = await user()
  const { id } = await ann.environment()
  const client = createHttpClient(await app.listen({ port: 0, host: "127.0.0.1" }))
  onTestFinished(client.close)
  const brackets = "[".repeat(500_000)
  const longList = JSON.stringify(times(5_000, () => ({ name: "A", value: "x".repeat(100) })))
  const emptyObjects = `[${"{},".repeat(1_000_000)}{}]`
  const post = async (path: string, body: string) => {
    const headers = { "content-type": "application/json", cookie: ann.cookie }
    const answer = await client.send({ method: "POST", path: `/api${path}`, headers, body })
    return [answer.status, envelopeOf(answer)?.msg]
  }
  const parse = vi.spyOn(JSON, "parse")
  onTestFinished(() => parse.mockRestore())
  const answers = await Promise.all([
    ...times(8, () => post("/users/login", brackets)),
    ...times(8, () => post("/collectionItem", brackets)),
    ...times(6, () => post(`/subcollection/${id}/bulk`, emptyObjects)),
    post(`/subcollection/${id}/bulk`, longList),
  ])
  expect(answers).toEqual([
    ...times(8, () => [413, "The body can be at most 16 KiB"]),
    ...times(8, () => [400, "Lists and objects in the body can be at most 8 levels deep"]),
    ...times(6, () => [400, "The body has too many elements or fields"]),
    [200, "Bulk save successfull"],
  ])
  const parsedLengths = parse.mock.calls.map(([text]) => text.length)
  expect(Math.max(...parsedLengths)).toBeLessThan(70_000)
  expect(parsedLengths.reduce((sum, length) => sum + length)).toBeLessThan(longList.length + 50_000)
  await expectNothingHeld()
})

test("a user's call is answered although another user has hundreds waiting", async () => {
  const { user, shares, expectNothingHeld } = await sharingApp()
  const [ann, bob] = [await user(), await user()]
  const from = (address: string) => ({ "x-forwarded-for": address })
  let annsAnswers = 0
  const many = Array.from({ length: 200 }, async (_, n) => {
    const { status } = await ann.post("/collection", { name: `c${n}`, description: "" }, from("192.0.2.1"))
    annsAnswers++
    return status
  })
  const answer = await bob.post("/collection", { name: "c", description: "" }, from("192.0.2.2"))

  expect(answer.status).toBe(201)
  expect(annsAnswers).toBeLessThan(100)
  expect(shares.userCalls.state().taken).toBeLessThanOrEqual(3)
  expect(new Set(await Promise.all(many))).toEqual(new Set([201]))
  await expectNothingHeld()
})

test("too many waiting calls of one caller are refused with a time to come back, and no others are", async () => {
  const { user, guest, shares, expectNothingHeld } = await sharingApp()
  const [ann, bob] = [await user(), await user()]
  const annsCalls = takeAll(shares.userCalls, `user ${await idOf(ann)}`, { count: 1_003 })
  expect(await ann.get("/collection")).toMatchObject({
    status: 429,
    headers: { "retry-after": "1" },
    body: { msg: "Too many requests at the same time. Please wait for the answers, then try again" },
  })
  expect((await bob.get("/collection")).status).toBe(200)
  expect((await guest.get("/users/me")).status).toBe(200)
  await annsCalls.giveBack()
  await expectNothingHeld()
})

test("nothing is done for a caller that has hung up while it waited", async () => {
  const { app, user, db, shares, expectNothingHeld } = await sharingApp()
  const ann = await user()
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }))
  const body = JSON.stringify({ name: "unwanted", description: "" })
  const annsCalls = takeAll(shares.userCalls, `user ${await idOf(ann)}`, { count: 3 })
  const accepted = once(app.server, "connection") as Promise<[Socket]>
  const socket = connect(Number(port), "127.0.0.1")
  socket.write(
    `POST /api/collection HTTP/1.1\r\nhost: x\r\ncookie: ${ann.cookie}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  )
  await vi.waitFor(() => expect(shares.userCalls.state().waiting).toBe(1), eventually)
  const [serverSide] = await accepted
  socket.destroy()
  await once(serverSide, "close")
  await annsCalls.giveBack()
  await expectNothingHeld()
  expect(await db.selectFrom("collection").selectAll().execute()).toEqual([])
})

test("long bodies wait for the bytes of the caller's other bodies before they are read", async () => {
  const { user, shares, expectNothingHeld } = await sharingApp()
  const ann = await user()
  const { id } = await ann.environment()
  const save = (length: number) => ann.post(`/subcollection/${id}/bulk`, [{ name: "A", value: "x".repeat(length) }])
  const annsBytes = takeAll(shares.bodyBytes, `user ${await idOf(ann)}`, { count: 1, amount: 8 * 1024 * 1024 })
  const long = save(60_000)
  await vi.waitFor(() => expect(shares.bodyBytes.state().waiting).toBe(1), eventually)
  expect((await save(10)).status).toBe(200)
  expect(shares.bodyBytes.state().waiting).toBe(1)
  await annsBytes.giveBack()
  expect((await long).status).toBe(200)
  await expectNothingHeld()
})

test("a body that arrives slowly is cut off if it takes the room of those that wait", async () => {
  const { app, user, shares, expectNothingHeld } = await sharingApp()
  const [ann, bob] = [await user(), await user()]
  const { id } = await bob.environment()
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }))
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  const slow = connect(Number(port), "127.0.0.1")
  slow.write(
    `POST /api/subcollection/1/bulk HTTP/1.1\r\nhost: x\r\ncookie: ${ann.cookie}\r\ncontent-type: application/json\r\ncontent-length: 8000000\r\n\r\n[`,
  )
  await vi.waitFor(() => expect(shares.bodyBytes.state().taken).toBe(8_000_000), eventually)
  vi.advanceTimersByTime(60_000)
  const others = ["x", "y", "z"].map((name) => takeAll(shares.bodyBytes, name, { count: 1, amount: 8 * 1024 * 1024 }))
  const saved = bob.post(
    `/subcollection/${id}/bulk`,
    times(300, () => ({ name: "A", value: "x".repeat(3_000) })),
  )
  await vi.waitFor(() => expect(shares.bodyBytes.state().waiting).toBe(1), eventually)
  expect(slow.destroyed).toBe(false)
  const closed = once(slow, "close")
  vi.advanceTimersByTime(5_000)
  expect((await saved).status).toBe(200)
  await closed
  for (const other of others) await other.giveBack()
  await expectNothingHeld()
})

test("a call that waits until earlier answers are read keeps no place of another call", async () => {
  const { user, shares, expectNothingHeld } = await sharingApp()
  const ann = await user()
  const { id } = await ann.environment()
  for (const name of ["A", "B"]) await ann.item({ id }, name, "x".repeat(60_000))
  const unread = takeAll(shares.unsentBytes, `user ${await idOf(ann)}`, { count: 1, amount: 16 * 1024 * 1024 })
  const waiting = Array.from({ length: 10 }, () => ann.get(`/subcollection/${id}`))
  await vi.waitFor(() => expect(shares.unsentBytes.state().waiting).toBe(10), eventually)
  expect(shares.userCalls.state()).toEqual({ taken: 0, waiting: 0 })
  await unread.giveBack()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(Array(10).fill(200))
  await expectNothingHeld()
})

test("answers for which more than a caller's share must be loaded at once take turns, also those of different users", async () => {
  const { db, user, shares, expectNothingHeld } = await sharingApp()
  const ann = await user()
  const { id, collectionId } = await ann.environment()
  // As if it held so much.
  await db.updateTable("environment").set({ sealed_bytes: 20_000_000 }).execute()
  const other = takeAll(shares.hugeAnswers, "user of another", { count: 1 })
  const waiting = [
    ann.get(`/subcollection/${id}`),
    ann.post(`/collections/${collectionId}/duplicate`, { name: "copy", what: "names" }),
  ]
  await vi.waitFor(() => expect(shares.hugeAnswers.state()).toEqual({ taken: 1, waiting: 2 }), eventually)
  expect(shares.userCalls.state()).toEqual({ taken: 0, waiting: 0 })
  // This one is loaded in steps.
  expect((await ann.get(`/collection/${collectionId}`)).status).toBe(200)
  await other.giveBack()
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 201])
  await expectNothingHeld()
})

test("an answer that is not read is cut off if others wait for room, but not while its call is at work", async () => {
  const shares = createHttpShares()
  const app = fastify()
  onTestFinished(() => app.close())
  const { promise: worked, resolve: endWork } = Promise.withResolvers<void>()
  let isAtWork = () => {}
  const atWork = new Promise<void>((resolve) => {
    isAtWork = resolve
  })
  app.get("/", async (_, reply) => {
    await holdAnswer(shares, { caller: "ann", amount: 20 * 1024 * 1024, reply })
    isAtWork()
    await worked
    return Readable.from(times(500, () => Buffer.alloc(64 * 1024)))
  })
  const { port } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }))
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  const socket = connect(Number(port), "127.0.0.1").pause()
  const closed = once(socket, "close")
  socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
  await atWork
  const other = shares.hugeAnswers.take("bob")
  vi.advanceTimersByTime(60_000)
  endWork()
  await once(socket, "readable")
  expect(String(socket.read())).toMatch(/^HTTP\/1.1 200/)
  vi.advanceTimersByTime(60_000)
  socket.resume()
  await closed
  await other
})

test("a list of many collections waits until there is room for a page of it", async () => {
  const { db, user, shares, expectNothingHeld } = await sharingApp()
  const ann = await user()
  const unread = takeAll(shares.unsentBytes, `user ${await idOf(ann)}`, { count: 1, amount: 16 * 1024 * 1024 })
  await addCollections(db, ann, 99)
  expect((await ann.get<unknown[]>("/collection")).body.data).toHaveLength(99)
  await addCollections(db, ann, 2)
  const list = ann.get<unknown[]>("/collection")
  await vi.waitFor(() => expect(shares.unsentBytes.state().waiting).toBe(1), eventually)
  await unread.giveBack()
  expect((await list).body.data).toHaveLength(101)
  await expectNothingHeld()
})

test("reads that ask the database take turns by address, and reads from memory do not wait", async () => {
  const { user, guest, shares, expectNothingHeld } = await sharingApp()
  const ann = await user()
  const environment = await ann.environment()
  const { key } = await ann.apiKey(environment)
  await vi.waitFor(async () => {
    await guest.variables(key)
    const reads = await guest.variables(key)
    expect([reads.status, shares.keyLookups.state()]).toEqual([200, { taken: 0, waiting: 0 }])
  }, eventually)
  const sameAddress = takeAll(shares.keyLookups, "keys 127.0.0.1", { count: 2 })
  const unknown = guest.variables(`ek_${"0".repeat(40)}`)
  await vi.waitFor(() => expect(shares.keyLookups.state()).toEqual({ taken: 2, waiting: 1 }), eventually)
  expect((await guest.variables(key)).status).toBe(200)
  expect((await guest.variables(key, "?format=dotenv", { "x-forwarded-for": "192.0.2.7" })).status).toBe(200)
  expect(shares.keyLookups.state().waiting).toBe(1)
  await sameAddress.giveBack()
  expect((await unknown).status).toBe(401)
  await expectNothingHeld()
})
