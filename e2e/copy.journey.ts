import type { Page } from "@playwright/test"
import { chooseMore, expect, type Given, long, test } from "./test.ts"

const environmentOf = (page: Page, name: string) => page.getByRole("region", { name, exact: true })
const toggleOf = (page: Page, name: string) =>
  environmentOf(page, name).getByRole("button", { name: new RegExp(`^${name}`) })
const fieldOf = (page: Page, environment: string, name: string) =>
  environmentOf(page, environment).getByRole("listitem", { name, exact: true }).getByLabel("Value")

/** A collection with staging and production, which differ in two names and share one. */
async function withTwo(page: Page, given: Given, { isProtected = false } = {}) {
  await given.user()
  const id = await given.collection("billing-api", "Invoices")
  await given.environment(id, "staging", [
    { name: "DATABASE_URL", value: "postgres://staging-database" },
    { name: "LOG_LEVEL", value: "the-same-level" },
    { name: "NEW_FLAG", value: "only-in-staging" },
  ])
  const production = await given.environment(id, "production", [
    { name: "DATABASE_URL", value: "postgres://production-database" },
    { name: "LOG_LEVEL", value: "the-same-level" },
  ])
  await page.request.put(`/api/environments/${production}/protection`, { data: { isProtected } })
  await page.goto(`/collection/${id}?env=${production}`)
  await expect(fieldOf(page, "production", "DATABASE_URL")).toBeVisible()
  return { id, production }
}

test("items are promoted to a protected environment after a preview, and that is undone", async ({ page, given }) => {
  const { id, production } = await withTwo(page, given, { isProtected: true })
  await chooseMore(environmentOf(page, "staging"), "Copy to…")
  const dialog = page.getByRole("dialog", { name: "Copy items" })
  await expect(dialog.getByText("1 added, 1 changed")).toBeVisible()
  const rows = dialog.getByRole("list", { name: "Items to copy" }).getByRole("listitem")
  await expect(rows).toHaveCount(2)
  await expect(dialog.getByText("postgres://production-database")).toHaveCount(0)
  await dialog.getByRole("button", { name: "Show the values of DATABASE_URL" }).click()
  await expect(rows.first()).toContainText("postgres://production-database")
  await expect(rows.first()).toContainText("postgres://staging-database")

  // Only what is missing, and only once it is said that production may change.
  await dialog.getByLabel("Missing (1)", { exact: true }).check()
  await expect(rows).toHaveCount(1)
  await expect(dialog.getByRole("button", { name: "Copy 1 item" })).toBeDisabled()
  await dialog.getByLabel("Change production").check()
  await dialog.getByLabel("Missing or different (2)").check()
  await dialog.getByRole("checkbox", { name: /DATABASE_URL/ }).uncheck()
  await dialog.getByLabel("Note", { exact: true }).fill("release 7")
  await dialog.getByRole("button", { name: "Copy 1 item" }).click()
  await expect(fieldOf(page, "production", "NEW_FLAG")).toBeVisible()
  await page.getByRole("alert").getByRole("button", { name: "Undo" }).click()
  await expect(fieldOf(page, "production", "NEW_FLAG")).toHaveCount(0)
  await page.goto(`/collection/${id}/history/${production}`)
  await expect(page.getByText("copied from staging, revision 2: added NEW_FLAG")).toBeVisible()
  await expect(page.getByText("release 7")).toBeVisible()
})

test("an environment starts from another one, and a collection is duplicated", long, async ({ page, given }) => {
  await withTwo(page, given)
  const create = page.getByRole("button", { name: "Create environment" })
  for (const [name, take] of [
    ["preview", "All values"],
    ["template", "Names only"],
    ["heir", "Inherit from it"],
  ] as const) {
    await create.click()
    await page.getByLabel("Environment name").fill(name)
    await page.getByLabel("Start from").selectOption("staging")
    await page.getByLabel("Take", { exact: true }).selectOption(take)
    await create.click()
    await expect(toggleOf(page, name)).toBeFocused()
  }
  await expect(fieldOf(page, "preview", "NEW_FLAG")).toHaveValue("only-in-staging")
  await expect(fieldOf(page, "template", "NEW_FLAG")).toHaveValue("")

  await page.getByRole("button", { name: "Collection menu" }).click()
  await page.getByRole("menuitem", { name: "Duplicate…" }).click()
  const dialog = page.getByRole("dialog", { name: "Duplicate this collection" })
  await expect(dialog.getByLabel("Name of the copy")).toHaveValue("billing-api copy")
  await dialog.getByLabel("Name of the copy").fill("billing-next")
  await dialog.getByRole("button", { name: "Duplicate" }).click()
  await expect(page.getByRole("heading", { name: "billing-next", level: 1 })).toBeVisible()
  for (const name of ["staging", "production", "preview", "template", "heir"]) {
    await expect(environmentOf(page, name)).toBeVisible()
  }
  await toggleOf(page, "preview").click()
  await expect(fieldOf(page, "preview", "NEW_FLAG")).toHaveValue("only-in-staging")
})
