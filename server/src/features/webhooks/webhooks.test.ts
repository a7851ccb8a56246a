import {
  type Environment,
  limits,
  sentences,
  type Webhook,
  type WebhookDelivery,
  type WebhookMessage,
  type WebhookWithSecret,
} from "@envkeep/contract"
import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { callCommand } from "@envkeep/testing/commands.ts"
import { isSignedWith } from "@envkeep/testing/machine/webhook-signature.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { startReceiver } from "@envkeep/testing/receiver.ts"
import { expect, test } from "vitest"
import { addMember } from "../../../test/access/things.ts"
import { doctorCommand } from "../../cli/doctor.ts"

const env = { ENVKEEP_WEBHOOK_ALLOW: "127.0.0.1" }

async function withReceiver() {
  const [app, receiver] = [await testApp({ env }), await startReceiver()]
  const ann = await app.user()
  const environment = await ann.environment()
  return { app, receiver, ann, environment, ...(await addWebhook(app, ann, environment, receiver)) }
}

async function addWebhook(
  { deliverer }: TestApp,
  person: Person,
  { collectionId }: Environment,
  { url }: { url: string },
  settings: object = {},
) {
  const path = `/collections/${collectionId}/webhooks`
  const { status, body } = await person.post<WebhookWithSecret>(path, { url, ...settings })
  expect(body.msg).toBe("Webhook created successfully")
  expect(status).toBe(201)
  const webhook = body.data
  const one = `${path}/${webhook.id}`
  const deliveries = async () => {
    await deliverer.deliverDue()
    return (await person.get<{ deliveries: WebhookDelivery[] }>(`${one}/deliveries`)).body.data.deliveries
  }
  const shown = async () => (await person.get<Webhook[]>(path)).body.data.find(({ id }) => id === webhook.id) as Webhook
  return { webhook, path, one, deliveries, shown }
}

test("a change is sent once, signed, with who, where and which names, and never with a value", async () => {
  const { app, receiver, ann, environment, webhook, deliveries, shown } = await withReceiver()
  expect(webhook).toMatchObject({ url: receiver.url, kinds: null, environments: null, isEnabled: true, pending: 0 })
  expect(webhook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)

  // The leak detection searches what the receiver gets for this value and for the key.
  await ann.item(environment, "DATABASE_URL", "a value that must never be sent")
  await ann.apiKey(environment, "ci")
  const [key, item] = await deliveries()

  expect(receiver.types()).toEqual(["item.add", "api-key.create"])
  const [first] = receiver.received
  if (first === undefined) throw new Error("nothing was received")
  expect(isSignedWith(webhook.secret, first)).toBe(true)
  expect(isSignedWith(`whsec_${Buffer.alloc(32).toString("base64")}`, first)).toBe(false)
  expect(Math.abs(Date.now() / 1_000 - Number(first.headers["webhook-timestamp"]))).toBeLessThan(120)
  const message: WebhookMessage = JSON.parse(first.body)
  expect(message).toEqual({
    type: "item.add",
    timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
    data: {
      kind: "items",
      actor: { kind: "user", id: expect.any(Number), name: "someone" },
      collection: { id: environment.collectionId, name: "app" },
      environment: { id: environment.id, name: "production", revision: 2 },
      names: ["DATABASE_URL"],
      nameCount: 1,
      apiKey: null,
      account: null,
    },
  })
  expect(item).toMatchObject({ state: "delivered", type: "item.add", fault: null, body: first.body })
  expect(item?.messageId).toBe(first.headers["webhook-id"])
  expect(item?.attempts).toEqual([{ at: expect.any(String), durationMs: expect.any(Number), status: 204, fault: null }])
  expect(JSON.parse(key?.body ?? "").data.apiKey).toMatchObject({ name: "ci" })
  expect(await shown()).toMatchObject({ pending: 0, failingSince: null, lastDeliveredAt: expect.any(String) })
  expect(app.deliverer.counts).toEqual({ delivered: 2, retried: 0, given_up: 0 })
  expect(app.log.join()).not.toContain("/hook")
})

testOnce("what fails is not sent, and neither is what changes nothing", async () => {
  const { receiver, ann, environment, deliveries } = await withReceiver()
  const item = await ann.item(environment, "A", "1")
  await ann.put(`/collectionItem/${item.id}`, { name: "A", value: "1" })
  await ann.post("/collectionItem", { name: "A", value: "2", subCollectionId: environment.id })
  expect(await deliveries()).toHaveLength(1)
  expect(receiver.types()).toEqual(["item.add"])
})

testOnce("kinds and environments say what is sent, and what an environment inherits is a change of it", async () => {
  const [app, receiver] = [await testApp({ env }), await startReceiver()]
  const ann = await app.user()
  const base = await ann.environment("base")
  const heir = await ann.environment("heir", base.collectionId)
  const other = await ann.environment("other", base.collectionId)
  await ann.put(`/environments/${heir.id}/base`, { baseId: base.id })
  const limited = await addWebhook(app, ann, base, receiver, { kinds: ["items"], environmentIds: [heir.id] })
  expect(limited.webhook).toMatchObject({ kinds: ["items"], environments: [{ id: heir.id, name: "heir" }] })
  await ann.item(heir, "A", "1")
  await ann.item(base, "B", "1")
  await ann.item(other, "C", "1")
  await ann.apiKey(heir)
  await ann.put(`/subcollection/${heir.id}`, { name: "renamed" })
  await ann.put(`/collection/${base.collectionId}`, { name: "renamed" })
  await ann.put(`/environments/${heir.id}/base`, { baseId: null })
  await limited.deliveries()
  const about = receiver.received.map(({ body }) => JSON.parse(body).data.environment.name)
  expect([receiver.types(), about]).toEqual([
    ["item.add", "item.add", "environment.rebase"],
    ["heir", "base", "renamed"],
  ])

  // What it is limited to is gone: it does not become one for everything.
  await ann.delete(`/subcollection/${heir.id}`)
  await ann.purge("environments", { id: heir.id, name: "renamed" })
  expect((await limited.shown()).environments).toEqual([])
  await ann.item(other, "D", "1")
  await limited.deliveries()
  expect(receiver.received).toHaveLength(3)
  await ann.put(limited.one, { kinds: null, environmentIds: null })
  await ann.item(other, "E", "1")
  await limited.deliveries()
  expect(receiver.received).toHaveLength(4)
})

testOnce("a webhook is changed, disabled, enabled and deleted, and each leaves an event without the URL", async () => {
  const { app, receiver, ann, environment, one, path, deliveries, shown } = await withReceiver()
  const moved = await startReceiver()
  const changed = await ann.put<Webhook>(one, { url: `${moved.url}?token=x`, description: "deploys" })
  expect(changed.body).toMatchObject({ msg: "Webhook saved", data: { description: "deploys", kinds: null } })
  await ann.item(environment, "A", "1")
  await deliveries()
  expect([receiver.received.length, moved.received.map((one) => one.path)]).toEqual([0, ["/hook?token=x"]])

  await ann.put(one, { isEnabled: false })
  await ann.item(environment, "B", "1")
  expect(await deliveries()).toHaveLength(1)
  for (const what of ["test", `deliveries/${(await deliveries())[0]?.id}/redeliver`]) {
    expect(await ann.post(`${one}/${what}`)).toMatchObject({ status: 409, body: { msg: sentences.webhookDisabled } })
  }
  await ann.put(one, { isEnabled: true })
  expect(await shown()).toMatchObject({ isEnabled: true, gaveUpAt: null })
  expect((await ann.delete(one)).body.msg).toBe("Webhook deleted successfully")
  expect((await ann.get(path)).body.data).toEqual([])
  expect(await app.db.selectFrom("webhook_delivery").selectAll().execute()).toEqual([])
  const { body } = await ann.get<{ events: { action: string; webhookHost: string | null }[] }>(
    `/collections/${environment.collectionId}/activity?kind=webhooks`,
  )
  expect(body.data.events.map(({ action, webhookHost }) => [action, webhookHost])).toEqual([
    ["webhook.delete", `127.0.0.1:${moved.port}`],
    ["webhook.update", `127.0.0.1:${moved.port}`],
    ["webhook.update", `127.0.0.1:${moved.port}`],
    ["webhook.update", `127.0.0.1:${moved.port}`],
    ["webhook.create", `127.0.0.1:${receiver.port}`],
  ])
  expect(JSON.stringify(await app.db.selectFrom("audit_event").selectAll().execute())).not.toContain("/hook")
})

testOnce("a new secret signs beside the former one for as long as was chosen", async () => {
  let offsetMs = 0
  const app = await testApp({ env, webhooks: { now: () => Date.now() + offsetMs } })
  const receiver = await startReceiver()
  const ann = await app.user()
  const environment = await ann.environment()
  const { webhook, one, deliveries, shown } = await addWebhook(app, ann, environment, receiver)
  const rotated = await ann.post<WebhookWithSecret>(`${one}/rotate-secret`, { overlapHours: 24 })
  expect(rotated.body.msg).toBe("Secret rotated")
  const { secret } = rotated.body.data
  expect((await shown()).oldSecretUntil).toEqual(expect.any(String))
  const signedBy = async () => {
    await ann.post(`${one}/test`)
    await deliveries()
    const last = receiver.received.at(-1)
    return [webhook.secret, secret].map((secret) => last !== undefined && isSignedWith(secret, last))
  }
  expect(await signedBy()).toEqual([true, true])
  offsetMs = 25 * 3_600_000
  expect(await signedBy()).toEqual([false, true])
  offsetMs = 0
  const { body } = await ann.post<WebhookWithSecret>(`${one}/rotate-secret`, { overlapHours: 0 })
  expect(body.data.oldSecretUntil).toBeNull()
  expect(await signedBy()).toEqual([false, false])
})

test("a collection in the trash sends nothing until it is restored, and a duplicate has no webhooks", async () => {
  const { app, receiver, ann, environment, path, deliveries } = await withReceiver()
  receiver.answer = () => 500
  await ann.item(environment, "A", "1")
  await deliveries()
  await ann.delete(`/collection/${environment.collectionId}`)
  receiver.answer = () => 200
  await app.db.updateTable("webhook").set({ retry_at: null }).execute()
  await app.deliverer.deliverDue()
  expect(receiver.received).toHaveLength(1)
  await ann.post(`/trash/collections/${environment.collectionId}/restore`)
  expect((await deliveries()).map(({ state }) => state)).toEqual(["delivered", "delivered", "delivered"])
  expect(receiver.types()).toEqual(["item.add", "item.add", "collection.delete", "collection.recover"])

  const copy = await ann.post<{ id: number }>(`/collections/${environment.collectionId}/duplicate`, {
    name: "copy",
    what: "values",
  })
  expect((await ann.get(`/collections/${copy.body.data.id}/webhooks`)).body.data).toEqual([])
  await ann.delete(`/collection/${environment.collectionId}`)
  await ann.purge("collections", { id: environment.collectionId, name: "app" })
  expect((await ann.get(path)).status).toBe(404)
  for (const table of ["webhook", "webhook_delivery"] as const) {
    expect(await app.db.selectFrom(table).selectAll().execute()).toEqual([])
  }
})

testOnce("webhooks are for maintainers, and another collection's webhook is not found", async () => {
  const { app, ann, environment, webhook, path } = await withReceiver()
  const [editor, maintainer] = [await app.user(), await app.user()]
  const { collectionId } = environment
  await addMember(app, { collectionId, member: editor, role: "editor", by: "directly" })
  await addMember(app, { collectionId, member: maintainer, role: "maintainer", by: "directly" })
  expect(await editor.get(path)).toMatchObject({ status: 403, body: { msg: sentences.roleTooWeak } })
  expect((await maintainer.get<Webhook[]>(path)).body.data).toHaveLength(1)
  const other = await ann.collection("other")
  for (const [method, rest, body] of [
    ["put", "", { description: "x" }],
    ["delete", "", undefined],
    ["post", "/rotate-secret", { overlapHours: 0 }],
    ["post", "/test", undefined],
    ["get", "/deliveries", undefined],
  ] as const) {
    const url = `/collections/${other.id}/webhooks/${webhook.id}${rest}`
    const answer = method === "get" || method === "delete" ? await ann[method](url) : await ann[method](url, body)
    expect([url, answer.status, answer.body.msg]).toEqual([url, 404, "Webhook not found"])
  }
  expect(await ann.post(`${path}/${webhook.id}/deliveries/987654/redeliver`)).toMatchObject({
    status: 404,
    body: { msg: "Delivery not found" },
  })
  const elsewhere = await ann.environment("elsewhere", other.id)
  expect(await ann.put(`${path}/${webhook.id}`, { environmentIds: [elsewhere.id] })).toMatchObject({
    status: 404,
    body: { msg: "Environment not found" },
  })
})

testOnce("input that cannot be, word for word, and the limit", async () => {
  const { app, ann, path, webhook } = await withReceiver()
  const refusals: [object, string][] = [
    [{}, "URL is required"],
    [{ url: "ftp://example.com/" }, "URL must start with http:// or https://"],
    [{ url: "example.com" }, "URL must start with http:// or https://"],
    [{ url: "https://ann:secret-word-1@example.com/" }, "URL cannot contain a username or a password"],
    [{ url: `https://example.com/${"x".repeat(2_000)}` }, "URL can be at most 2000 characters"],
    [{ url: "https://example.com/", kinds: [] }, "Choose at least one kind of event"],
    [
      { url: "https://example.com/", kinds: ["logins"] },
      "Item 1: An event must be one of items, environments, keys, people, collections",
    ],
    [{ url: "https://example.com/", environmentIds: [] }, "Choose at least one environment"],
    [
      { url: "https://example.com/", environmentIds: Array.from({ length: 51 }, (_, at) => at + 1) },
      "A webhook can be limited to at most 50 environments",
    ],
  ]
  for (const [body, msg] of refusals) {
    expect([body, await ann.post(path, body)]).toMatchObject([body, { status: 400, body: { msg } }])
  }
  expect(await ann.post(`${path}/${webhook.id}/rotate-secret`, { overlapHours: 2 })).toMatchObject({
    status: 400,
    body: { msg: "The hours must be one of 0, 1, 24, 168" },
  })
  const url = "https://hooks.example.com/"
  for (let made = 1; made < limits.webhooksPerCollection; made++) {
    expect((await ann.post(path, { url, isEnabled: false })).status).toBe(201)
  }
  expect(await ann.post(path, { url })).toMatchObject({ status: 400, body: { msg: sentences.tooManyWebhooks } })
  const row = await app.db.selectFrom("webhook").selectAll().limit(1).executeTakeFirstOrThrow()
  const rows = Array.from({ length: limits.webhooksPerAccount }, () => ({ ...row, id: undefined }))
  const other = await ann.collection("other")
  await app.db
    .insertInto("webhook")
    .values(rows.map(({ id: _, ...rest }) => ({ ...rest, collection_id: other.id, is_enabled: 0 })))
    .execute()
  const third = await ann.collection("third")
  expect(await ann.post(`/collections/${third.id}/webhooks`, { url })).toMatchObject({
    status: 400,
    body: { msg: sentences.tooManyWebhooksOfAccount },
  })
})

test("URL and secret are sealed, and the doctor names a webhook that does not open", async () => {
  const { app, ann, receiver, environment, webhook, deliveries, shown, one } = await withReceiver()
  const rows = JSON.stringify(await app.db.selectFrom("webhook").selectAll().execute(), (_, value) =>
    value?.type === "Buffer" ? Buffer.from(value.data).toString("latin1") : value,
  )
  expect(rows).not.toContain("/hook")
  expect(rows).not.toContain(webhook.secret)
  await app.db
    .updateTable("webhook")
    .set({ sealed_url: Buffer.from("damaged") })
    .execute()
  await ann.item(environment, "A", "1")
  expect(await deliveries()).toMatchObject([{ state: "pending", fault: "secret_damaged" }])
  expect((await shown()).url).toBeNull()
  const doctor = await callCommand(doctorCommand, app.location)
  expect(JSON.stringify(doctor)).toContain(`The URL of the webhook to 127.0.0.1:${receiver.port}`)
  await ann.put(one, { url: receiver.url })
  expect(await deliveries()).toMatchObject([{ state: "delivered" }])
})
