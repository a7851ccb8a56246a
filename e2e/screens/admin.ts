import type { Page } from "@playwright/test"
import { expect } from "../test.ts"
import { heading, type Screen } from "./screen.ts"

/** As if the server had counted on each of the last days. */
async function countEarlier(page: Page): Promise<void> {
  const counters = ["products", "users", "collections", "environments", "items", "subscriptions"]
  const days = Array.from({ length: 29 }, (_, index) => ({
    day: new Date(Date.now() - (29 - index) * 24 * 3_600_000).toISOString().slice(0, 10),
    ...Object.fromEntries(counters.map((name, at) => [`${name}Count`, 1 + index * at])),
  }))
  await page.route("**/api/admin/daily-counts*", (route) =>
    route.fulfill({ json: { error: false, msg: "OK", data: { days } } }),
  )
}

export const adminScreens: Screen[] = [
  {
    name: "admin",
    async show(page, given) {
      await given.admin()
      await countEarlier(page)
      await heading(page, "/admin/dashboard", "Admin Dashboard")
      await expect(page.getByText("in 30 days")).toHaveCount(6)
    },
  },
  {
    name: "admin-products",
    async show(page, given) {
      await given.admin()
      await heading(page, "/admin/products", "Products")
    },
  },
  {
    name: "admin-category",
    async show(page, given) {
      await given.admin()
      await heading(page, "/admin/products", "Products")
      await page.getByRole("combobox", { name: "Category" }).fill("book")
      await expect(page.getByRole("option", { name: "BOOKS", exact: true })).toBeVisible()
    },
  },
  {
    name: "admin-users",
    async show(page, given) {
      await given.account()
      await given.admin()
      await heading(page, "/admin/users", "Users")
      await expect(page.getByRole("table")).toBeVisible()
    },
  },
  {
    name: "admin-reset-link",
    async show(page, given) {
      const { username } = await given.account()
      await given.admin()
      await heading(page, "/admin/users", "Users")
      await page.getByLabel("Search").fill(username)
      await page.getByRole("button", { name: `Actions for ${username}` }).click()
      await page.getByRole("menuitem", { name: "Create reset link" }).click()
      await page.getByRole("button", { name: "Create link" }).click()
      await expect(page.getByLabel("Reset link", { exact: true })).toHaveValue(/\/reset#./)
    },
  },
  {
    name: "admin-invitations",
    async show(page, given) {
      await given.admin()
      await heading(page, "/admin/invitations", "Invitations")
      await expect(page.getByRole("button", { name: "Create link" })).toBeVisible()
    },
  },
  {
    name: "admin-collections",
    async show(page, given) {
      await given.user()
      await given.environment(await given.collection("app"), "production", [{ name: "A", value: "1" }])
      await given.admin()
      await countEarlier(page)
      await heading(page, "/admin/collections", "Collections")
      await expect(page.getByRole("img", { name: /^Collections: 1 on/ })).toBeVisible()
      await expect(page.getByRole("heading", { name: "Largest collections" })).toBeVisible()
    },
  },
]
