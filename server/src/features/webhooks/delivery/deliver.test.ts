import { createServer } from "node:net"
import { limits, sentences, type Webhook, type WebhookDelivery, type WebhookWithSecret } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { run } from "@envkeep/testing/process.ts"
import { startReceiver } from "@envkeep/testing/receiver.ts"
import { expect, onTestFinished, test } from "vitest"
import type { DelivererParts } from "./deliver.ts"
import { pruneDeliveries } from "./prune.ts"

const env = { ENVKEEP_WEBHOOK_ALLOW: "127.0.0.1" }
const hourMs = 3_600_000

/** An app whose deliveries live in a time that the test moves. */
async function movableApp(webhooks: Partial<DelivererParts> = {}) {
  const clock = { offsetMs: 0 }
  const app = await testApp({ env, webhooks: { now: () => Date.now() + clock.offsetMs, ...webhooks } })
  const ann = await app.user()
  const environment = await ann.environment()
  const path = `/collections/${environment.collectionId}/webhooks`
  /** Adds a webhook to a receiver. */
  const add = async (url: string) => {
    const { body } = await ann.post<WebhookWithSecret>(path, { url, kinds: ["items"] })
    const one = `${path}/${body.data.id}`
    return {
      id: body.data.id,
      one,
      secret: body.data.secret,
      deliveries: async () =>
        (await ann.get<{ deliveries: WebhookDelivery[] }>(`${one}/deliveries`)).body.data.deliveries,
      shown: async () => (await ann.get<Webhook[]>(path)).body.data.find(({ id }) => id === body.data.id) as Webhook,
    }
  }
  const change = (name: string) => ann.item(environment, name, "1")
  const later = async (ms: number) => {
    clock.offsetMs += ms
    await app.deliverer.deliverDue()
  }
  return { app, ann, environment, add, change, later, deliverDue: () => app.deliverer.deliverDue() }
}

const namesOf = (received: readonly { body: string }[]) => received.flatMap(({ body }) => JSON.parse(body).data.names)

test("a receiver that fails is tried again with growing pauses, in order, and gets all once it works", async () => {
  const { add, change, later, deliverDue } = await movableApp()
  const receiver = await startReceiver(() => 500)
  const { deliveries, shown } = await add(receiver.url)
  await change("A")
  await deliverDue()
  await change("B")
  await deliverDue()
  expect(namesOf(receiver.received)).toEqual(["A"])
  const [second, first] = await deliveries()
  expect(first).toMatchObject({ state: "pending", fault: "status", nextAttemptAt: expect.any(String) })
  expect(first?.attempts).toMatchObject([{ status: 500, fault: "status" }])
  expect(second).toMatchObject({ state: "pending", fault: null, attempts: [], nextAttemptAt: null })
  const pauses = [7, 40, 150, 750].map((seconds) => seconds * 1_000)
  for (const pauseMs of pauses) {
    const before = receiver.received.length
    await later(pauseMs / 2)
    expect(receiver.received).toHaveLength(before)
    await later(pauseMs / 2)
    expect(receiver.received).toHaveLength(before + 1)
  }
  expect((await shown()).failingSince).not.toBeNull()
  receiver.answer = () => 200
  await later(hourMs)
  expect(namesOf(receiver.received)).toEqual(["A", "A", "A", "A", "A", "A", "B"])
  expect(new Set(receiver.received.slice(0, 6).map(({ headers }) => headers["webhook-id"])).size).toBe(1)
  expect((await deliveries()).map(({ state, attempts }) => [state, attempts.length])).toEqual([
    ["delivered", 1],
    ["delivered", 6],
  ])
  expect(await shown()).toMatchObject({ failingSince: null, pending: 0 })
})

testOnce(
  "after a day a message is given up, later ones go on, and after five days the webhook is disabled",
  async () => {
    const { app, ann, add, change, later, deliverDue } = await movableApp()
    const receiver = await startReceiver(() => 503)
    const { deliveries, shown, one } = await add(receiver.url)
    await change("A")
    await deliverDue()
    for (let hours = 0; hours < 32; hours += 8) await later(8 * hourMs)
    const [first] = await deliveries()
    expect(first).toMatchObject({ state: "failed", fault: "status", nextAttemptAt: null })
    expect(first?.attempts.length).toBeGreaterThan(2)

    // A receiver that is back gets what comes next, and the failed one if a user wants it.
    receiver.answer = () => 200
    await later(8 * hourMs)
    receiver.received.length = 0
    await change("B")
    await later(8 * hourMs)
    expect(namesOf(receiver.received)).toEqual(["B"])
    const messageIds = (await deliveries()).map(({ messageId }) => messageId)
    const redelivered = await ann.post(`${one}/deliveries/${first?.id}/redeliver`)
    expect(redelivered.body).toMatchObject({ msg: "Queued for delivery", data: { state: "pending" } })
    await deliverDue()
    expect(namesOf(receiver.received)).toEqual(["B", "A"])
    expect((await deliveries())[0]).toMatchObject({ state: "delivered", messageId: messageIds[1] })

    receiver.answer = () => 500
    for (let day = 0; day < 6; day++) {
      await change(`C${day}`)
      await later(25 * hourMs)
    }
    expect(await shown()).toMatchObject({ isEnabled: false, gaveUpAt: expect.any(String), pending: 0 })
    const { action, actor } = await app.db
      .selectFrom("audit_event")
      .selectAll()
      .where("action", "=", "webhook.disable")
      .executeTakeFirstOrThrow()
    expect([action, actor]).toEqual(["webhook.disable", "server"])
    const tries = receiver.received.length
    await change("D")
    await later(25 * hourMs)
    expect(receiver.received).toHaveLength(tries)
  },
)

test("a test goes out before what waits, is tried once, and lets the queue go on", async () => {
  const { ann, add, change, deliverDue } = await movableApp()
  const receiver = await startReceiver(() => 500)
  const { one, deliveries } = await add(receiver.url)
  await change("A")
  await deliverDue()
  const { body } = await ann.post<WebhookDelivery>(`${one}/test`)
  expect(body).toMatchObject({ msg: "Test sent", data: { type: "webhook.test", state: "pending" } })
  await deliverDue()
  expect(receiver.types()).toEqual(["item.add", "webhook.test"])
  expect((await deliveries()).map(({ state }) => state)).toEqual(["failed", "pending"])
  receiver.answer = () => 200
  await ann.post(`${one}/test`)
  await deliverDue()
  expect(receiver.types().slice(2)).toEqual(["webhook.test", "item.add"])
})

testOnce("receivers that hang, never end their answer, redirect or talk nonsense delay no one else", async () => {
  const { add, change, deliverDue } = await movableApp({ timeoutMs: 400 })
  const good = await startReceiver()
  const target = await startReceiver()
  const hanging = await startReceiver(() => undefined)
  const endless = await startReceiver((_, response) => {
    response.writeHead(200)
    const write = () => {
      while (!response.destroyed && response.write("x".repeat(65_536)));
    }
    response.on("drain", write)
    write()
    return undefined
  })
  const redirecting = await startReceiver((_, response) => {
    response.writeHead(302, { location: target.url }).end()
    return undefined
  })
  const largeHeaders = await startReceiver((_, response) => {
    response.writeHead(200, { "x-large": "x".repeat(64 * 1024) }).end()
    return undefined
  })
  const nonsense = createServer((socket) => socket.on("error", () => undefined).end("nonsense\r\n\r\n"))
  await new Promise<void>((resolve) => nonsense.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void nonsense.close())
  const { port } = nonsense.address() as { port: number }

  const hangs = await Promise.all(Array.from({ length: 6 }, () => add(hanging.url)))
  const bad = {
    endless: await add(endless.url),
    redirect: await add(redirecting.url),
    large: await add(largeHeaders.url),
    nonsense: await add(`http://127.0.0.1:${port}/`),
    closed: await add("http://127.0.0.1:1/"),
  }
  const fine = await add(good.url)
  await change("A")
  await deliverDue()
  expect((await fine.deliveries())[0]?.state).toBe("delivered")
  const fault = async ({ deliveries }: typeof fine) => {
    const [{ state, fault, attempts } = { state: "", fault: null, attempts: [] }] = await deliveries()
    return [state, fault, attempts.at(-1)?.status ?? null]
  }
  for (const hang of hangs) expect(await fault(hang)).toEqual(["pending", "timeout", null])
  expect(await fault(bad.endless)).toEqual(["delivered", null, 200])
  expect(await fault(bad.redirect)).toEqual(["pending", "redirect", 302])
  expect(await fault(bad.large)).toEqual(["pending", "bad_answer", null])
  expect(await fault(bad.nonsense)).toEqual(["pending", "bad_answer", null])
  expect(await fault(bad.closed)).toEqual(["pending", "unreachable", null])
  expect(target.received).toEqual([])
})

test("two nodes deliver each message once, and in order", async () => {
  const { app, add, change, deliverDue } = await movableApp()
  const receiver = await startReceiver()
  const { id } = await add(receiver.url)
  const other = await testApp({ env, location: app.location })
  for (let at = 0; at < 12; at++) {
    await change(`N${at}`)
    await Promise.all([app.deliverer.poll(), other.deliverer.poll()])
  }
  await Promise.all([deliverDue(), other.deliverer.deliverDue()])
  await expect
    .poll(() => app.db.selectFrom("webhook_delivery").selectAll().where("finished_at", "is", null).execute())
    .toEqual([])
  expect(namesOf(receiver.received)).toEqual(Array.from({ length: 12 }, (_, at) => `N${at}`))
  const rows = await app.db.selectFrom("webhook_delivery").select("attempts").where("webhook_id", "=", id).execute()
  expect(rows.map(({ attempts }) => JSON.parse(attempts).length)).toEqual(Array(12).fill(1))
})

test("a claim of a node that is gone ends, and the same message is delivered by another", async () => {
  const { app, add, change, later, deliverDue } = await movableApp()
  const receiver = await startReceiver()
  const { id, deliveries } = await add(receiver.url)
  await app.db
    .updateTable("webhook")
    .set({ claim: "gone", claim_ends_at: Date.now() + 60_000 })
    .where("id", "=", id)
    .execute()
  await change("A")
  await deliverDue()
  expect(receiver.received).toEqual([])
  await later(61_000)
  expect(await deliveries()).toMatchObject([{ state: "delivered" }])
  expect(receiver.received).toHaveLength(1)
})

testOnce("a server that is killed while the receiver has the message leaves it to the next one", async () => {
  const location = await newStoreLocation()
  const rootKey = "44".repeat(32)
  const settings = { ...env, ENVKEEP_ROOT_KEY: rootKey }
  const receiver = await startReceiver(() => undefined)
  const { child, url, ended } = run(location, { env: settings })
  const address = await url()
  const post = async (path: string, body: unknown, cookie = "") => {
    const headers = { "content-type": "application/json", cookie }
    const response = await fetch(`${address}/api${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    const { data } = (await response.json()) as { data: { id: number } }
    return { data, cookie: response.headers.get("set-cookie")?.split(";")[0] ?? cookie }
  }
  const person = { email: "ann@example.com", password: "password of ann" }
  await post("/users/register", { ...person, username: "ann", password2: person.password })
  const { cookie } = await post("/users/login", person)
  const collection = (await post("/collection", { name: "app" }, cookie)).data
  const environment = (await post("/subcollection", { name: "production", collectionId: collection.id }, cookie)).data
  await post(`/collections/${collection.id}/webhooks`, { url: receiver.url }, cookie)
  await post("/collectionItem", { name: "A", value: "1", subCollectionId: environment.id }, cookie)
  await receiver.until(1)
  child.kill("SIGKILL")
  await ended

  receiver.answer = () => 200
  const next = await testApp({
    env: settings,
    location,
    webhooks: { now: () => Date.now() + 120_000 },
  })
  await next.deliverer.deliverDue()
  expect(receiver.received).toHaveLength(2)
  const [lost, delivered] = receiver.received
  expect(delivered?.headers["webhook-id"]).toBe(lost?.headers["webhook-id"])
  expect(delivered?.body).toBe(lost?.body)
})

test("queues and lists are bounded", async () => {
  const { app, ann, add, deliverDue } = await movableApp()
  const receiver = await startReceiver()
  const { id, one, deliveries } = await add(receiver.url)
  await app.db
    .updateTable("webhook")
    .set({ retry_at: Date.now() + hourMs })
    .execute()
  const rows = (count: number, finishedAt: number | null) =>
    Array.from({ length: count }, () => ({
      webhook_id: id,
      message_id: "msg_x",
      audit_event_id: 1,
      revision: null,
      created_at: Date.now(),
      finished_at: finishedAt,
    }))
  const insert = async (all: ReturnType<typeof rows>) => {
    for (let at = 0; at < all.length; at += 500) {
      await app.db
        .insertInto("webhook_delivery")
        .values(all.slice(at, at + 500))
        .execute()
    }
  }
  await insert(rows(limits.pendingDeliveries + 3, null))
  expect(await pruneDeliveries(app.core)).toBe(3)
  const count = async (fault: string | null) =>
    (await app.db.selectFrom("webhook_delivery").select("id").where("fault", "is not distinct from", fault).execute())
      .length
  expect([await count("queue_full"), await count(null)]).toEqual([3, limits.pendingDeliveries])
  const { id: givenUpId } = await app.db
    .selectFrom("webhook_delivery")
    .select("id")
    .where("fault", "=", "queue_full")
    .limit(1)
    .executeTakeFirstOrThrow()
  for (const what of ["test", `deliveries/${givenUpId}/redeliver`]) {
    const refusal = { status: 429, body: { msg: sentences.webhookQueueFull } }
    expect(await ann.post(`${one}/${what}`)).toMatchObject(refusal)
  }
  expect(await count(null)).toBe(limits.pendingDeliveries)
  await app.db.updateTable("webhook_delivery").set({ finished_at: Date.now() }).execute()
  await app.db.updateTable("webhook").set({ last_attempt_at: Date.now() }).execute()
  await pruneDeliveries(app.core)
  expect([await count("queue_full"), await count(null)]).toEqual([0, limits.keptDeliveries])
  expect(await deliveries()).toHaveLength(limits.deliveriesPerPage)
  await pruneDeliveries(app.core, Date.now() + (limits.keptDeliveryDays + 1) * 24 * hourMs)
  expect(await count(null)).toBe(0)
  await deliverDue()
  expect(receiver.received).toEqual([])
})
