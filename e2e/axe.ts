import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { expect, type Page } from "@playwright/test"

// Less than half as long as what the package itself offers as its source, and sent to every page.
const axe = readFileSync(fileURLToPath(import.meta.resolve("axe-core/axe.min.js")), "utf8")

const standards = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
export const aboutColours = ["color-contrast", "link-in-text-block"]

/**
 * What breaks these rules, or the rules with these tags, in a colour scheme. Behind a dialog nothing is looked at: the page
 * there is a screen of its own.
 */
export async function violations(
  page: Page,
  colorScheme: "light" | "dark",
  runOnly: string[] = standards,
): Promise<string[]> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe)
  await untilFaded(page)
  return await page.evaluate(`(async () => {
    const dialogs = [...document.querySelectorAll("[aria-modal=true]")]
    // axe measures all that is drawn, also what it is not asked about.
    const behind = dialogs.length > 0 ? document.querySelectorAll("#root:not(:has([aria-modal=true]))") : []
    for (const { style } of behind) style.display = "none"
    const options = { runOnly: ${JSON.stringify(runOnly)}, resultTypes: ["violations"] }
    const { violations } = await axe.run(dialogs.length > 0 ? dialogs : document, options)
    for (const { style } of behind) style.display = ""
    return violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 160)).join(" | "))
  })()`)
}

/** After another colour scheme or focus, colours fade in, beginning with the next frame. */
export async function untilFaded(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => {
    const isFading = () => document.getAnimations().some(({ effect }) => effect.getComputedTiming().iterations === 1)
    const look = () => (isFading() ? requestAnimationFrame(look) : resolve())
    requestAnimationFrame(() => requestAnimationFrame(look))
  })`)
}

/** In light and dark, wide and narrow. */
export async function expectAccessible(page: Page): Promise<void> {
  expect(await violations(page, "light")).toEqual([])
  // The elements are the same in the dark. Only colours differ.
  expect(await violations(page, "dark", aboutColours)).toEqual([])
  await page.setViewportSize({ width: 375, height: 812 })
  expect(await violations(page, "dark", aboutColours)).toEqual([])
  expect(await violations(page, "light")).toEqual([])
}
