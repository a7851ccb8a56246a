import type { Page } from "@playwright/test"
import { expect, type Given } from "../test.ts"

const certificate =
  "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQm9i\nAxkQ2d1c3RvbWVyMB4XDTI1\n-----END CERTIFICATE-----"

export const items = [
  { name: "DATABASE_URL", value: "postgres://billing:s3cret@db.internal:5432/billing" },
  { name: "REDIS_URL", value: "redis://cache.internal:6379/0" },
  { name: "PAYMENT_API_KEY", value: "pay-7Hq2-mZvK-Ylo2-C9dT" },
  { name: "SESSION_SECRET", value: "b7f0c1d29e4a48c8a1d3" },
  { name: "SMTP_HOST", value: "smtp.example.com" },
  { name: "SMTP_PASSWORD", value: "correct-horse-battery-staple" },
  { name: "TLS_CERTIFICATE", value: certificate },
  { name: "LOG_LEVEL", value: "info" },
]

/** A collection with three environments, of which production has everything. */
export async function collectionOf(page: Page, given: Given): Promise<void> {
  await given.user()
  const id = await given.collection(
    "billing-api",
    "Invoices, subscriptions and the nightly export.\nOwned by payments.",
  )
  const production = await given.environment(id, "production", items)
  await given.environment(id, "staging", items.slice(0, 3))
  await given.environment(id, "development")
  await given.apiKey(production, "web-server-1")
  await given.apiKey(production, "nightly-export")
  await page.goto(`/collection/${id}`)
  await expect(page.getByRole("heading", { name: "billing-api" })).toBeVisible()
}

export const production = (page: Page) => page.getByRole("region", { name: "production", exact: true })

export async function expanded(page: Page, given: Given): Promise<void> {
  await collectionOf(page, given)
  await production(page)
    .getByRole("button", { name: /^production/ })
    .click()
  await expect(production(page).getByRole("listitem").first()).toBeVisible()
}
