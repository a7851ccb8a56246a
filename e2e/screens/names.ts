import type { Page } from "@playwright/test"
import { expect, type Given, password } from "../test.ts"
import { heading, type Screen } from "./screen.ts"

/** A collection with described names, of which production lacks one and has a value that does not fit. */
export async function described(page: Page, given: Given): Promise<{ id: number; production: number }> {
  await given.user()
  const id = await given.collection("billing-api", "Invoices, subscriptions and the nightly export.")
  await given.environment(id, "staging", [
    { name: "DATABASE_URL", value: "postgres://db.staging/billing" },
    { name: "PORT", value: "8080" },
    { name: "LOG_LEVEL", value: "debug" },
  ])
  const production = await given.environment(id, "production", [
    { name: "DATABASE_URL", value: "postgres://db.production/billing" },
    { name: "PORT", value: "eighty" },
    { name: "SMTP_HOST", value: "mail.example.com" },
  ])
  const names = [
    {
      name: "DATABASE_URL",
      description: "The main database.\nAsk the platform team for a new user.",
      isRequired: true,
      kind: "url",
      example: "postgres://localhost/billing",
    },
    { name: "PORT", description: "Where the app listens", isSecret: false, kind: "port", example: "3000" },
    { name: "LOG_LEVEL", isRequired: true, isSecret: false, kind: "choice", choices: ["debug", "info", "warn"] },
    { name: "SENTRY_DSN", description: "Errors are reported here once it is set" },
  ]
  await page.request.post(`/api/collections/${id}/names`, { data: names })
  return { id, production }
}

async function openProduction(page: Page, given: Given): Promise<void> {
  const { id, production } = await described(page, given)
  await page.goto(`/collection/${id}?env=${production}`)
  await expect(page.getByText("It should be a whole number from 1 to 65535.")).toBeVisible()
}

export const nameScreens: Screen[] = [
  {
    name: "names",
    async show(page, given) {
      const { id } = await described(page, given)
      await heading(page, `/collection/${id}/names`, "Names")
    },
  },
  {
    name: "names-phone",
    async show(page, given) {
      await page.setViewportSize({ width: 375, height: 812 })
      const { id } = await described(page, given)
      await heading(page, `/collection/${id}/names`, "Names")
    },
  },
  {
    name: "names-read",
    async show(page, given) {
      const { email } = await given.account()
      const { id } = await described(page, given)
      await page.request.post(`/api/collections/${id}/members`, { data: { who: email, role: "viewer" } })
      await page.request.post("/api/users/login", { data: { email, password } })
      await heading(page, `/collection/${id}/names`, "Names")
    },
  },
  {
    name: "names-empty",
    async show(page, given) {
      await given.user()
      const id = await given.collection("billing-api")
      await page.goto(`/collection/${id}/names`)
      await expect(page.getByText("No names yet")).toBeVisible()
    },
  },
  {
    name: "dialog-example",
    async show(page, given) {
      const { id } = await described(page, given)
      await heading(page, `/collection/${id}/names`, "Names")
      await page.getByRole("button", { name: "Export .env.example" }).click()
      await expect(page.getByLabel("Preview")).toBeVisible()
    },
  },
  { name: "environment-described", show: openProduction },
  {
    name: "dialog-about",
    async show(page, given) {
      await openProduction(page, given)
      await page.getByRole("listitem", { name: "PORT" }).getByRole("button", { name: "About" }).click()
      await expect(page.getByRole("dialog").getByLabel("Description")).toBeFocused()
    },
  },
  {
    name: "dialog-problems",
    async show(page, given) {
      await openProduction(page, given)
      await page.getByRole("button", { name: "1 missing, 1 does not fit" }).click()
      await expect(page.getByRole("dialog").getByRole("button", { name: "Add LOG_LEVEL" })).toBeVisible()
    },
  },
  {
    name: "dialog-import-descriptions",
    async show(page, given) {
      const { id } = await described(page, given)
      await heading(page, `/collection/${id}/names`, "Names")
      await page.getByRole("button", { name: "Import descriptions" }).click()
      await page
        .getByLabel("Text with descriptions")
        .fill("# Who gets alerts\n# @type=email\nALERT_EMAIL=a@example.com")
      await expect(page.getByRole("button", { name: "Import 1 name" })).toBeVisible()
    },
  },
]
