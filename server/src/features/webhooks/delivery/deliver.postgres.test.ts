import type { WebhookDelivery, WebhookWithSecret } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { databaseProxy } from "@envkeep/testing/database-proxy.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { startReceiver } from "@envkeep/testing/receiver.ts"
import { expect, test, vi } from "vitest"

test("when the database is back after an outage in the middle of a delivery, the queue goes on at once", async () => {
  const location = await newStoreLocation()
  const proxy = await databaseProxy(location.databaseUrl ?? "")
  // Its time stands still: a claim that was not released never ends, and a pause is never over.
  const startedAt = Date.now()
  const node = await testApp({
    location: { ...location, databaseUrl: proxy.url },
    env: { ENVKEEP_WEBHOOK_ALLOW: "127.0.0.1" },
    webhooks: { now: () => startedAt },
  })
  const ann = await node.user()
  const environment = await ann.environment()
  const receiver = await startReceiver((_, response) => {
    receiver.answer = () => 204
    void proxy.refuse().then(() => response.writeHead(204).end())
    return undefined
  })
  const path = `/collections/${environment.collectionId}/webhooks`
  const { id } = (await ann.post<WebhookWithSecret>(path, { url: receiver.url, kinds: ["items"] })).body.data
  await ann.item(environment, "A", "1")
  await receiver.until(1)
  await vi.waitFor(async () => expect((await node.app.inject("/readyz")).statusCode).toBe(503), eventually)

  await proxy.restore()
  await vi.waitFor(async () => expect((await node.app.inject("/readyz")).statusCode).toBe(200), eventually)
  await vi.waitFor(async () => {
    await node.deliverer.poll()
    const { deliveries } = (await ann.get<{ deliveries: WebhookDelivery[] }>(`${path}/${id}/deliveries`)).body.data
    expect(deliveries).toMatchObject([{ state: "delivered" }])
  }, eventually)
  // The database did not learn that the first one arrived, so it comes again, with the same id.
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1)
})
