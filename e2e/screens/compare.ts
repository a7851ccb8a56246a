import type { Page } from "@playwright/test"
import { cellAt } from "../grid.ts"
import { expect, type Given, password } from "../test.ts"
import { described } from "./names.ts"
import type { Screen } from "./screen.ts"

/** A grid with every kind of cell but one without access. The screen of a reader has those. */
async function compared(page: Page, given: Given): Promise<void> {
  const { id, production } = await described(page, given)
  const preview = await given.environment(id, "preview", [{ name: "LOG_LEVEL", value: "debug" }])
  await given.environment(id, "empty", [{ name: "LOG_LEVEL", value: "" }])
  for (const one of [production, preview]) {
    await page.request.put(`/api/environments/${one}/protection`, { data: { isProtected: true } })
  }
  await page.request.put(`/api/environments/${preview}/base`, { data: { baseId: production } })
  await page.goto(`/collection/${id}/compare`)
  await expect(page.getByText("Missing, required").first()).toBeVisible()
}

export const compareScreens: Screen[] = [
  { name: "compare", show: compared },
  {
    name: "compare-shown",
    async show(page, given) {
      await compared(page, given)
      await page.getByRole("button", { name: "Show all values" }).click()
      await page.getByRole("checkbox", { name: "Select PORT" }).click()
      await expect(page.getByText("1 name selected")).toBeVisible()
    },
  },
  {
    name: "compare-editor",
    async show(page, given) {
      await compared(page, given)
      await cellAt(page, "PORT").dblclick()
      await page.keyboard.type("x")
      await expect(page.getByText("It should be a whole number from 1 to 65535.", { exact: true })).toBeVisible()
    },
  },
  {
    name: "compare-menu",
    async show(page, given) {
      await compared(page, given)
      await cellAt(page, "DATABASE_URL").click({ button: "right" })
      await expect(page.getByRole("menuitem", { name: "Copy value" })).toBeVisible()
    },
  },
  {
    name: "dialog-columns",
    async show(page, given) {
      await compared(page, given)
      await page.getByRole("button", { name: "Columns" }).click()
      await expect(page.getByRole("checkbox", { name: "staging" })).toBeVisible()
    },
  },
  {
    name: "compare-none",
    async show(page, given) {
      await compared(page, given)
      await page.getByRole("searchbox").fill("nothing has this name")
      await expect(page.getByRole("button", { name: "Show all names" })).toBeVisible()
    },
  },
  {
    name: "compare-read",
    async show(page, given) {
      const { email } = await given.account()
      const { id, production } = await described(page, given)
      await page.request.put(`/api/environments/${production}/protection`, { data: { isProtected: true } })
      await page.request.post(`/api/collections/${id}/members`, { data: { who: email, role: "reader" } })
      await page.request.post("/api/users/login", { data: { email, password } })
      await page.goto(`/collection/${id}/compare`)
      await expect(page.getByText("No access").first()).toBeVisible()
    },
  },
  {
    name: "compare-phone-editor",
    async show(page, given) {
      await page.setViewportSize({ width: 375, height: 800 })
      const { id } = await described(page, given)
      await page.goto(`/collection/${id}/compare`)
      await page.getByRole("button", { name: "Edit: production" }).click()
      await expect(page.getByRole("dialog").getByRole("button", { name: "Save" })).toBeVisible()
    },
  },
  {
    name: "compare-phone",
    async show(page, given) {
      await page.setViewportSize({ width: 375, height: 800 })
      const { id } = await described(page, given)
      await page.goto(`/collection/${id}/compare`)
      await page.getByRole("button", { name: "Next name" }).click()
      await expect(page.getByRole("region", { name: "LOG_LEVEL" })).toBeVisible()
    },
  },
]
