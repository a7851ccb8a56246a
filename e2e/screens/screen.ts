import type { Page } from "@playwright/test"
import { expect, type Given } from "../test.ts"

export interface Screen {
  name: string
  /** Navigates the page to the screen. */
  show: (page: Page, given: Given) => Promise<void>
}

export async function heading(page: Page, path: string, name: string): Promise<void> {
  await page.goto(path)
  await expect(page.getByRole("heading", { name, exact: true })).toBeVisible()
}
