import type { Page } from "@playwright/test"
import { chooseMore, expect, type Given, paste } from "../test.ts"
import { collectionOf, expanded, items, production } from "./example.ts"
import type { Screen } from "./screen.ts"

async function pasteIntoName(page: Page, given: Given): Promise<void> {
  await expanded(page, given)
  await paste(
    page,
    production(page).getByLabel("Name", { exact: true }).first(),
    "PORT=8080\nHOST=localhost\nLOG_LEVEL=debug",
  )
  await expect(page.getByRole("dialog")).toBeVisible()
}

export const itemScreens: Screen[] = [
  { name: "environment", show: expanded },
  {
    name: "environment-shown",
    async show(page, given) {
      await expanded(page, given)
      await production(page).getByRole("button", { name: "Show all values" }).click()
      await production(page)
        .getByRole("listitem", { name: "SESSION_SECRET" })
        .getByLabel("Value")
        .fill("6f1d-not-saved-yet")
      await page.mouse.move(0, 0)
    },
  },
  {
    name: "environment-conflict",
    async show(page, given) {
      await expanded(page, given)
      const row = (name: string) => production(page).getByRole("listitem", { name })
      const id = Number(/env=(\d+)/.exec(page.url())?.[1])
      const { data } = await (await page.request.get(`/api/subcollection/${id}`)).json()
      for (const name of ["SMTP_HOST", "LOG_LEVEL"]) {
        await row(name).getByLabel("Value").fill("mine-value")
        const item = data.collectionItems.find((one: { name: string }) => one.name === name)
        await page.request.put(`/api/collectionItem/${item.id}`, { data: { name, value: "their-value" } })
        await expect(row(name).getByText(/^Changed by .* just now$/)).toBeVisible()
      }
      await expect(page.getByRole("button", { name: "Keep all mine" })).toBeVisible()
    },
  },
  {
    name: "environment-empty",
    async show(page, given) {
      await collectionOf(page, given)
      await page.getByRole("button", { name: /^development/ }).click()
      await expect(page.getByText("No items yet")).toBeVisible()
    },
  },
  {
    name: "environment-many",
    async show(page, given) {
      await given.user()
      const id = await given.collection("warehouse", "Thousands of switches.")
      const many = Array.from({ length: 5000 }, (_, at) => ({ name: `SWITCH_${at}`, value: `value ${at}` }))
      await given.environment(id, "production", many)
      await page.goto(`/collection/${id}`)
      await page.getByRole("button", { name: /^production/ }).click()
      await page.getByLabel("Filter items").fill("42")
      await expect(page.getByText(/of 5,000/)).toBeVisible()
    },
  },
  {
    name: "environment-new-rows",
    async show(page, given) {
      await pasteIntoName(page, given)
      await page.getByRole("button", { name: "Split into 3 rows" }).click()
      await expect(page.getByRole("dialog")).toHaveCount(0)
      await page.getByLabel("Name", { exact: true }).nth(1).fill("not-for-shells")
    },
  },
  { name: "dialog-paste", show: pasteIntoName },
  {
    name: "dialog-shortcuts",
    async show(page, given) {
      await collectionOf(page, given)
      await page.getByRole("button", { name: "Keyboard shortcuts" }).click()
      await expect(page.getByRole("dialog")).toBeVisible()
    },
  },
  {
    name: "edit-names",
    async show(page, given) {
      await collectionOf(page, given)
      await page.getByRole("button", { name: "Edit name" }).first().click()
      await chooseMore(production(page), "Edit name")
    },
  },
  {
    name: "environment-menu",
    async show(page, given) {
      await expanded(page, given)
      await production(page).getByRole("button", { name: "More actions" }).click()
      await expect(page.getByRole("menuitem").first()).toBeVisible()
    },
  },
  {
    name: "dialog-copy",
    async show(page, given) {
      await collectionOf(page, given)
      await page.getByRole("button", { name: /^development/ }).click()
      await page.getByRole("button", { name: "Copy from…" }).click()
      await expect(page.getByText("What to copy")).toBeVisible()
    },
  },
  {
    name: "dialog-copy-protected",
    async show(page, given) {
      await given.user()
      const id = await given.collection("billing-api")
      const changed = { name: "DATABASE_URL", value: "postgres://billing:s3cret@new-db.internal:5432/billing" }
      await given.environment(id, "staging", [...items.slice(1), changed, { name: "NEW_FLAG", value: "yes-please" }])
      const protectedId = await given.environment(id, "production", items.slice(0, 6))
      await page.request.put(`/api/environments/${protectedId}/protection`, { data: { isProtected: true } })
      await page.goto(`/collection/${id}`)
      await chooseMore(page.getByRole("region", { name: "staging", exact: true }), "Copy to…")
      await page.getByRole("button", { name: "Show values" }).click()
      await expect(page.getByText("production is protected")).toBeVisible()
    },
  },
  {
    name: "create-environment-from",
    async show(page, given) {
      await collectionOf(page, given)
      await page.getByRole("button", { name: "Create environment" }).click()
      await page.getByLabel("Start from").selectOption("production")
      await expect(page.getByLabel("Take", { exact: true })).toBeVisible()
    },
  },
  {
    name: "dialog-duplicate",
    async show(page, given) {
      await collectionOf(page, given)
      await page.getByRole("button", { name: "Collection menu" }).click()
      await page.getByRole("menuitem", { name: "Duplicate…" }).click()
      await expect(page.getByLabel("Name of the copy")).toBeVisible()
    },
  },
  {
    name: "item-deleted",
    async show(page, given) {
      await expanded(page, given)
      // It stays long enough for every picture.
      await page.clock.install()
      await production(page)
        .getByRole("listitem", { name: "LOG_LEVEL" })
        .getByRole("button", { name: "Delete" })
        .click()
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
      await expect(page.getByRole("alert").getByRole("button", { name: "Undo" })).toBeVisible()
    },
  },
  {
    name: "dialog-delete-item",
    async show(page, given) {
      await expanded(page, given)
      await production(page)
        .getByRole("listitem", { name: "LOG_LEVEL" })
        .getByRole("button", { name: "Delete" })
        .click()
      await expect(page.getByRole("dialog")).toBeVisible()
    },
  },
  {
    name: "environment-note",
    async show(page, given) {
      await expanded(page, given)
      await production(page).getByRole("listitem", { name: "LOG_LEVEL" }).getByLabel("Value").fill("debug")
      await production(page).getByRole("button", { name: "Add a note" }).click()
      await page.getByLabel("Note", { exact: true }).fill("to find the slow query")
    },
  },
  {
    name: "dialog-leave",
    async show(page, given) {
      await expanded(page, given)
      await production(page).getByRole("listitem", { name: "LOG_LEVEL" }).getByLabel("Value").fill("debug")
      await page.getByRole("link", { name: "Dashboard" }).click()
      await expect(page.getByText("Leave without saving?")).toBeVisible()
    },
  },
]
