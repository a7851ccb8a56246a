import { createHmac } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { eventually } from "@envkeep/testing/eventually.ts"
import { expect, expectNotification, test } from "./test.ts"

test("a maintainer adds a webhook, the receiver gets a signed message, and the delivery is shown", async ({
  page,
  given,
}) => {
  const received: { headers: Record<string, unknown>; body: string }[] = []
  let status = 500
  const receiver = createServer(async (request, response) => {
    let body = ""
    for await (const piece of request) body += String(piece)
    received.push({ headers: request.headers, body })
    response.writeHead(status).end()
  }).listen(0, "127.0.0.1")
  await once(receiver, "listening")
  const { port } = receiver.address() as AddressInfo
  await given.user()
  const id = await given.collection("billing-api")
  await given.environment(id, "production", [{ name: "SMTP_PASSWORD", value: "a value that stays secret" }])
  await page.goto(`/collection/${id}`)
  await page.getByRole("button", { name: "Collection menu" }).click()
  await page.getByRole("menuitem", { name: "Webhooks" }).click()
  await expect(page.getByText("No webhooks yet")).toBeVisible()

  await page.getByRole("button", { name: "Add webhook" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("URL").fill("http://10.0.0.1/")
  await dialog.getByRole("button", { name: "Add webhook" }).click()
  await expect(dialog.getByText(/does not send webhooks to private/)).toBeVisible()
  await dialog.getByLabel("URL").fill(`http://127.0.0.1:${port}/hook`)
  await dialog.getByRole("button", { name: "Add webhook" }).click()
  const secret = (await dialog.getByText(/^whsec_/).textContent()) ?? ""
  await dialog.getByRole("button", { name: "Done" }).click()
  await page.getByRole("link", { name: `127.0.0.1:${port}` }).click()

  // A test is tried once. Then the receiver is repaired.
  await page.getByRole("button", { name: "Send a test" }).click()
  const rows = page.getByRole("list", { name: "Deliveries" }).getByRole("listitem")
  await expect(rows).toHaveText([/Failed.*webhook\.test.*500/])
  status = 200
  await rows.getByRole("button", { name: "webhook.test" }).click()
  await page.getByRole("button", { name: "Redeliver" }).click()
  await expectNotification(page, "Queued for delivery")
  await expect(rows.first()).toHaveText(/Delivered.*webhook\.test.*200/)

  await given.environment(id, "staging")
  await expect(rows.first()).toHaveText(/Delivered.*environment\.create/, eventually)
  const last = received.at(-1)
  const { type, data } = JSON.parse(last?.body ?? "{}")
  expect([type, data.environment.name, data.collection.name]).toEqual(["environment.create", "staging", "billing-api"])
  const key = Buffer.from(secret.slice("whsec_".length), "base64")
  const signed = `${last?.headers["webhook-id"]}.${last?.headers["webhook-timestamp"]}.${last?.body}`
  expect(last?.headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", key).update(signed).digest("base64")}`)

  await page.getByRole("button", { name: "Webhook menu" }).click()
  await page.getByRole("menuitem", { name: "Disable" }).click()
  await expectNotification(page, "Webhook saved")
  await expect(page.getByRole("button", { name: "Send a test" })).toBeDisabled()
  await page.getByRole("button", { name: "Webhook menu" }).click()
  await page.getByRole("menuitem", { name: "Delete…" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
  await expect(page.getByText("No webhooks yet")).toBeVisible()
  receiver.closeAllConnections()
  receiver.close()
})
