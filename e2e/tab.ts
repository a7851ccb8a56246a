import type { Page } from "@playwright/test"

/** As if the user went to another tab, or came back. */
export async function setVisibility(page: Page, state: "hidden" | "visible"): Promise<void> {
  await page.evaluate(`{
    Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true })
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }))
  }`)
}
