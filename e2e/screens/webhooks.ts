import type { Page } from "@playwright/test"
import { expect, type Given } from "../test.ts"
import { heading, type Screen } from "./screen.ts"

/** A collection with webhooks: one of them to a port where no one listens, with a delivery that failed. */
async function withWebhooks(page: Page, given: Given): Promise<{ id: number; webhookId: number }> {
  await given.user()
  const id = await given.collection("billing-api", "Invoices, subscriptions and the nightly export.")
  const production = await given.environment(id, "production", [{ name: "SMTP_HOST", value: "mail.example.com" }])
  await given.environment(id, "staging")
  const add = async (data: object) =>
    (await (await page.request.post(`/api/collections/${id}/webhooks`, { data })).json()).data.id as number
  const webhookId = await add({
    url: "http://127.0.0.1:1/hooks/deploy",
    description: "Deploys the billing API",
    kinds: ["items", "keys"],
    environmentIds: [production],
  })
  await add({ url: "https://chat.example.com/hooks/T0000/B0000", description: "Tells the team", isEnabled: false })
  await page.request.post(`/api/collections/${id}/webhooks/${webhookId}/test`)
  await expect(async () => {
    const answer = await page.request.get(`/api/collections/${id}/webhooks/${webhookId}/deliveries`)
    expect((await answer.json()).data.deliveries).toMatchObject([{ state: "failed" }])
  }).toPass()
  return { id, webhookId }
}

export const webhookScreens: Screen[] = [
  {
    name: "webhooks",
    async show(page, given) {
      const { id } = await withWebhooks(page, given)
      await heading(page, `/collection/${id}/webhooks`, "Webhooks")
    },
  },
  {
    name: "webhook",
    async show(page, given) {
      const { id, webhookId } = await withWebhooks(page, given)
      await heading(page, `/collection/${id}/webhooks/${webhookId}`, "127.0.0.1:1")
      await page.getByRole("button", { name: "webhook.test" }).click()
      await expect(page.getByText("The receiver could not be reached.")).toBeVisible()
    },
  },
  {
    name: "webhooks-empty",
    async show(page, given) {
      await given.user()
      const id = await given.collection("billing-api")
      await page.goto(`/collection/${id}/webhooks`)
      await expect(page.getByText("No webhooks yet")).toBeVisible()
    },
  },
  {
    name: "dialog-webhook",
    async show(page, given) {
      const { id } = await withWebhooks(page, given)
      await heading(page, `/collection/${id}/webhooks`, "Webhooks")
      await page.getByRole("button", { name: "Add webhook" }).click()
      await page.getByRole("group", { name: "Events" }).getByText("Only some").click()
      await page.getByRole("group", { name: "Environments" }).getByText("Only some").click()
    },
  },
  {
    name: "dialog-webhook-secret",
    async show(page, given) {
      const { id, webhookId } = await withWebhooks(page, given)
      await heading(page, `/collection/${id}/webhooks/${webhookId}`, "127.0.0.1:1")
      await page.getByRole("button", { name: "Webhook menu" }).click()
      await page.getByRole("menuitem", { name: "Rotate the secret…" }).click()
      await page.getByRole("button", { name: "Rotate", exact: true }).click()
      await expect(page.getByText(/^whsec_/)).toBeVisible()
    },
  },
]
