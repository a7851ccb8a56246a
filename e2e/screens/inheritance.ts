import type { Page } from "@playwright/test"
import { chooseMore, expect, type Given } from "../test.ts"
import { items } from "./example.ts"
import type { Screen } from "./screen.ts"

const environmentOf = (page: Page, name: string) => page.getByRole("region", { name, exact: true })

/** Two environments that inherit, one through the other. */
async function inheriting(page: Page, given: Given): Promise<{ id: number; shared: number; staging: number }> {
  await given.user()
  const id = await given.collection("billing-api", "Invoices, subscriptions and the nightly export.")
  const shared = await given.environment(id, "shared", items.slice(0, 5))
  const staging = await given.environment(id, "staging", [
    { name: "SMTP_HOST", value: "mail.staging.example.com" },
    { name: "LOG_LEVEL", value: "debug" },
  ])
  const review = await given.environment(id, "review-apps-of-the-payments-team")
  await page.request.put(`/api/environments/${staging}/base`, { data: { baseId: shared } })
  await page.request.put(`/api/environments/${review}/base`, { data: { baseId: staging } })
  await page.goto(`/collection/${id}?env=${staging}`)
  await expect(environmentOf(page, "staging").getByRole("listitem").first()).toBeVisible()
  return { id, shared, staging }
}

export const inheritanceScreens: Screen[] = [
  {
    name: "inherited",
    async show(page, given) {
      await inheriting(page, given)
      const row = environmentOf(page, "staging").getByRole("listitem", { name: "REDIS_URL" })
      await row.getByRole("button", { name: "Override" }).click()
      await row.getByLabel("Value").fill("redis://staging.internal:6379/0")
    },
  },
  {
    name: "dialog-inherit",
    async show(page, given) {
      await inheriting(page, given)
      await chooseMore(environmentOf(page, "staging"), "Inherit from…")
      await page.getByLabel("Base", { exact: true }).selectOption("None")
    },
  },
  {
    name: "dialog-delete-base",
    async show(page, given) {
      await inheriting(page, given)
      await chooseMore(environmentOf(page, "shared"), "Delete environment")
      await expect(page.getByLabel("Copy its values into them first")).toBeVisible()
    },
  },
  {
    name: "history-inherited",
    async show(page, given) {
      const { id, shared, staging } = await inheriting(page, given)
      await page.request.post("/api/collectionItem", {
        data: { name: "TRACING_URL", value: "https://trace.example.com", subCollectionId: shared },
      })
      await page.goto(`/collection/${id}/history/${staging}`)
      await page.getByRole("button", { name: /Inherited changes from shared/ }).click()
      await expect(page.getByRole("link", { name: "Revision 3 of shared" })).toBeVisible()
    },
  },
]
