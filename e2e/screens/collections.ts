import type { Page } from "@playwright/test"
import { expect, type Given } from "../test.ts"
import { collectionOf, items } from "./example.ts"
import { heading, type Screen } from "./screen.ts"

/** Some collections in the trash. */
async function deleted(page: Page, given: Given): Promise<void> {
  await given.user()
  const billing = await given.collection("billing-api")
  await given.environment(billing, "production", items)
  const long = await given.collection("a-name-without-any-break-that-a-user-chose-because-nothing-stopped-them-from-it")
  for (const id of [await given.collection("storefront"), billing, long]) {
    await page.request.delete(`/api/collection/${id}`)
  }
  await heading(page, "/collection/trash", "Trash")
  await expect(page.getByRole("button", { name: "Restore billing-api" })).toBeVisible()
}

/** The search, with results of every kind. */
async function found(page: Page, given: Given): Promise<void> {
  await given.user()
  const billing = await given.collection("billing-api")
  for (const name of ["staging", "production"]) await given.environment(billing, name, items)
  await given.environment(await given.collection("storefront"), "preview")
  await heading(page, "/collection/dashboard", "Collections")
  await page.getByRole("button", { name: "Find" }).click()
  await page.getByRole("combobox", { name: "Find" }).fill("i")
  await expect(page.getByRole("group", { name: "Variables" })).toBeVisible()
}

export const collectionScreens: Screen[] = [
  {
    name: "dialog-find-empty",
    async show(page, given) {
      await given.user()
      await given.collection("billing-api")
      await heading(page, "/collection/dashboard", "Collections")
      await page.getByRole("button", { name: "Find" }).click()
      await expect(page.getByRole("option", { name: "billing-api" })).toBeVisible()
    },
  },
  { name: "dialog-find", show: found },
  {
    name: "dialog-find-phone",
    async show(page, given) {
      await page.setViewportSize({ width: 375, height: 800 })
      await found(page, given)
    },
  },
  {
    name: "dashboard-empty",
    async show(page, given) {
      await given.user()
      await page.goto("/collection/dashboard")
      await expect(page.getByText("Name your first app")).toBeVisible()
    },
  },
  {
    name: "dashboard",
    async show(page, given) {
      await given.user()
      const id = await given.collection("billing-api", "Invoices, subscriptions and the nightly export.")
      for (const name of ["development", "staging", "production", "preview"]) await given.environment(id, name)
      await given.environment(await given.collection("storefront", "The shop that customers see."), "production")
      await given.collection("a-name-without-any-break-that-a-user-chose-because-nothing-stopped-them-from-doing-so")
      await given.collection(
        "mobile-gateway",
        "Push messages, device registration and a description that is long. ".repeat(4),
      )
      await page.request.delete(`/api/collection/${await given.collection("prototype")}`)
      await page.goto("/collection/dashboard")
      await expect(page.getByRole("heading", { name: "storefront" })).toBeVisible()
      await expect(page.getByRole("link", { name: "Trash (1)" })).toBeVisible()
    },
  },
  {
    name: "collection-new-refused",
    async show(page, given) {
      await given.user()
      await heading(page, "/collection/new", "New Collection")
      await page.getByRole("button", { name: "Create" }).click()
      await expect(page.getByText("Name is required")).toHaveCount(2)
    },
  },
  {
    name: "collection-new",
    async show(page, given) {
      await given.user()
      await heading(page, "/collection/new", "New Collection")
    },
  },
  {
    name: "collection-empty",
    async show(page, given) {
      await given.user()
      await page.goto(`/collection/${await given.collection("storefront", "The shop that customers see.")}`)
      await expect(page.getByText("No environments yet")).toBeVisible()
    },
  },
  {
    name: "collection-gone",
    async show(page, given) {
      await given.user()
      await page.goto("/collection/999999")
      await expect(page.getByText("This collection is not available")).toBeVisible()
    },
  },
  { name: "trash", show: deleted },
  {
    name: "dialog-purge",
    async show(page, given) {
      await deleted(page, given)
      await page.getByRole("button", { name: "Delete forever: billing-api" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Delete forever" }).click()
      await expect(page.getByRole("dialog").getByText("Name is required")).toBeVisible()
    },
  },
  {
    name: "collection-trash-empty",
    async show(page, given) {
      await given.user()
      await heading(page, `/collection/${await given.collection("storefront")}/trash`, "Trash")
      await expect(page.getByText("The trash is empty")).toBeVisible()
    },
  },
  { name: "collection", show: collectionOf },
  {
    name: "activity",
    async show(page, given) {
      await collectionOf(page, given)
      await page.getByRole("link", { name: "Activity" }).click()
      await expect(page.getByRole("listitem").first()).toBeVisible()
    },
  },
  {
    name: "dialog-delete-collection",
    async show(page, given) {
      await collectionOf(page, given)
      await page.getByRole("button", { name: "Delete collection" }).click()
      await expect(page.getByRole("dialog")).toBeVisible()
    },
  },
]
