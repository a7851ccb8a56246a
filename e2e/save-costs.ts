import type { Page } from "@playwright/test"
import type { Limit } from "./costs.ts"
import { cellAt } from "./grid.ts"
import { expect } from "./test.ts"

export interface SaveCost {
  /** With the places of the journey in braces. */
  at: string
  /** What the user does before. It is not counted. */
  edit: (page: Page) => Promise<unknown>
  /** Ends when the page has said that it is done. */
  save: (page: Page) => Promise<unknown>
  api: Limit
}

const collection = "/collection/{collection}?env={environment}"

const rowOf = (page: Page, name: string) => page.getByRole("listitem", { name, exact: true })
const inDialog = (page: Page, button: string) => page.getByRole("dialog").getByRole("button", { name: button })
const says = (page: Page, sentence: string) =>
  expect(page.getByRole("alert").getByText(sentence, { exact: true })).toBeVisible()

const editRow = (name: string) => (page: Page) => rowOf(page, name).getByLabel("Value").fill("another-value")
async function saveRow(page: Page, name: string): Promise<void> {
  await rowOf(page, name).getByRole("button", { name: "Save" }).click()
  await says(page, "Item updated successfully")
}

/**
 * What each screen's main save may move, in both directions and with headers: the write, and all that the page reads because
 * of it. The requests are the most that were counted, the bytes 15 % more. The save in a large collection is in
 * `moved-bytes.journey.ts`.
 */
export const saveCosts: Record<string, SaveCost> = {
  "a row": {
    at: collection,
    edit: editRow("LOG_LEVEL"),
    save: (page) => saveRow(page, "LOG_LEVEL"),
    api: [3, 6_600],
  },
  "all rows, by Ctrl+S": {
    at: collection,
    async edit(page) {
      await editRow("SMTP_HOST")(page)
      await editRow("REDIS_URL")(page)
    },
    async save(page) {
      await page.keyboard.press("ControlOrMeta+s")
      await says(page, "Items saved successfully")
    },
    api: [3, 6_700],
  },
  "a new row": {
    at: collection,
    async edit(page) {
      const add = page.getByRole("form", { name: "Add item" })
      await add.getByLabel("Name").fill("COLOR")
      await add.getByLabel("Value").fill("dark-red")
    },
    async save(page) {
      await page.keyboard.press("Enter")
      await says(page, "Item created successfully")
    },
    api: [3, 6_600],
  },
  "raw values": {
    at: collection,
    async edit(page) {
      await page.getByRole("button", { name: "Edit raw values" }).first().click()
      await page.getByRole("textbox", { name: "Raw values" }).press("ControlOrMeta+End")
      await page.keyboard.type("MORE=another-value")
    },
    async save(page) {
      await inDialog(page, "Confirm").click()
      await says(page, "Bulk save successfull")
    },
    api: [4, 9_100],
  },
  "an API key": {
    at: collection,
    async edit(page) {
      await page.getByRole("button", { name: "API keys" }).first().click()
      await page.getByRole("dialog").getByLabel("Name").fill("web-server-2")
    },
    async save(page) {
      await inDialog(page, "Add").click()
      await says(page, "API Key created successfully")
    },
    api: [6, 11_000],
  },
  "a cell": {
    at: "/collection/{collection}/compare",
    async edit(page) {
      await cellAt(page, "SESSION_SECRET").dblclick()
      await page.getByRole("textbox", { name: "SESSION_SECRET in production" }).fill("another-value")
    },
    async save(page) {
      await page.keyboard.press("Enter")
      await says(page, "Item updated successfully")
    },
    api: [2, 5_700],
  },
  "a description": {
    at: "/collection/{collection}/names",
    edit: (page) => page.getByLabel("Description of SMTP_HOST").fill("Sends mail"),
    async save(page) {
      await page.keyboard.press("Enter")
      await says(page, "Description saved")
    },
    api: [4, 6_800],
  },
  "a webhook": {
    at: "/collection/{collection}/webhooks",
    async edit(page) {
      await page.getByRole("button", { name: "Add webhook" }).click()
      await page.getByLabel("URL").fill("http://127.0.0.1:2/")
    },
    async save(page) {
      await inDialog(page, "Add webhook").click()
      await expect(page.getByText(/^whsec_/)).toBeVisible()
    },
    api: [2, 3_900],
  },
  "a member": {
    at: "/collection/{collection}/sharing",
    edit: (page) =>
      page.getByRole("form", { name: "Add a person" }).getByLabel("Username or email").fill("joins@example.com"),
    async save(page) {
      await page.keyboard.press("Enter")
      await says(page, "Member added successfully")
    },
    api: [5, 8_000],
  },
  "a username": {
    at: "/user/dashboard",
    edit: (page) => page.getByLabel("Username").fill("ann the second"),
    async save(page) {
      await page.getByRole("button", { name: "Update user" }).click()
      await says(page, "User updated successfully")
    },
    api: [1, 1_700],
  },
  "a product": {
    at: "/admin/products",
    async edit(page) {
      await page.getByLabel("Name").fill("Support plan")
      await page.getByLabel("Description").fill("Answers within a day")
      for (const [field, option] of [
        ["Type", "DIGITAL"],
        ["Category", "CLOTHING"],
      ] as const) {
        await page.getByRole("combobox", { name: field }).click()
        await page.getByRole("option", { name: option, exact: true }).click()
      }
    },
    async save(page) {
      await page.getByRole("button", { name: "Create product" }).click()
      await says(page, "Product created successfully")
    },
    api: [2, 3_300],
  },
}
