import { join } from "node:path"
import { screens } from "../screens/all.ts"
import { expect, test } from "../test.ts"

const folder = join(import.meta.dirname, "../../screenshots")

for (const { name, show } of screens) {
  test(name, async ({ page, given }) => {
    await show(page, given)
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: width === 375 ? 812 : 800 })
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
        // The bar sticks to the top of the window, so the page must not be scrolled.
        await page.evaluate("scrollTo(0, 0)")
        await page.waitForTimeout(250)
        // A dialog covers the window, not the page below it.
        const fullPage = !name.startsWith("dialog")
        await page.screenshot({ path: join(folder, `${name}-${width}-${colorScheme}.png`), fullPage })
      }
      const overflow = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth")
      expect(overflow, `${name} scrolls sideways at ${width}px`).toBeLessThanOrEqual(0)
    }
  })
}

test("the README's picture", async ({ page, given }) => {
  await page.setViewportSize({ width: 1280, height: 860 })
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" })
  await screens.find(({ name }) => name === "environment-shown")?.show(page, given)
  await page.evaluate("scrollTo(0, 0)")
  await page.waitForTimeout(250)
  // Only the window, to keep the file small.
  await page.screenshot({ path: join(folder, "../docs/screenshots/environment-shown.png") })
})

for (const colorScheme of ["light", "dark"] as const) {
  test(`the landing page's picture in ${colorScheme}`, async ({ page, given }) => {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await screens.find(({ name }) => name === "environment")?.show(page, given)
    await page.evaluate("scrollTo(0, 0)")
    await page.waitForTimeout(250)
    const path = join(folder, `../web/src/features/landing/environment-${colorScheme}.png`)
    await page.screenshot({ path })
  })
}

test("menu", async ({ page, given }) => {
  await given.admin()
  for (const [width, colorScheme] of [
    [375, "light"],
    [375, "dark"],
    [768, "light"],
  ] as const) {
    await page.setViewportSize({ width, height: 812 })
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await page.goto("/collection/dashboard")
    await page.getByRole("button", { name: "Open menu" }).click()
    await expect(page.getByRole("dialog").getByRole("link", { name: "Home" })).toBeVisible()
    await page.screenshot({ path: join(folder, `menu-${width}-${colorScheme}.png`) })
  }
})
