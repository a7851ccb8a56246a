import { AxeBuilder } from "@axe-core/playwright"
import { screens } from "./screens.ts"
import { expect, test } from "./test.ts"

test.use({ contextOptions: { reducedMotion: "reduce" } })

for (const { name, show } of screens) {
  test(`${name} has nothing that axe objects to, in light and dark`, async ({ page, given }) => {
    await show(page, given)
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
      await page.waitForTimeout(300)
      const { violations } = await new AxeBuilder({ page })
        .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"])
        .analyze()
      const found = violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`,
      )
      expect(found, colorScheme).toEqual([])
    }
  })
}

test("the mobile menu has nothing that axe objects to", async ({ page, given }) => {
  await given.admin()
  await page.setViewportSize({ width: 375, height: 800 })
  await page.goto("/collection/dashboard")
  await page.getByRole("button", { name: "Open menu" }).click()
  await expect(page.getByRole("dialog").getByRole("link", { name: "Logout" })).toBeVisible()
  const { violations } = await new AxeBuilder({ page }).analyze()
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
})
