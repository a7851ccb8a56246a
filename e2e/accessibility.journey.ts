import { expectAccessible, untilFaded, violations } from "./axe.ts"
import { screens } from "./screens/all.ts"
import { expanded, production } from "./screens/example.ts"
import { expect, long, test } from "./test.ts"

/** One of each kind. All screens are in `accessibility.long.journey.ts`. */
const ofEachKind = ["landing", "profile", "environment-shown", "compare", "dialog-find", "dialog-import"]

test("each kind of screen is there", () => {
  const names = screens.map(({ name }) => name)
  expect(ofEachKind.filter((name) => !names.includes(name))).toEqual([])
})

for (const { name, show } of screens.filter(({ name }) => ofEachKind.includes(name))) {
  test(`${name} has no axe violations, in light and dark, wide and narrow`, async ({ page, given }) => {
    await show(page, given)
    await expectAccessible(page)
  })
}

test("the border of a field has enough contrast on both sides, in light and dark", async ({ page }) => {
  await page.goto("/login")
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
    await page.getByLabel("Password", { exact: true }).focus()
    await untilFaded(page)
    const [edge, ...sides] = await page.evaluate<string[]>(`(() => {
      const field = getComputedStyle(document.querySelector("input[type=email]"))
      const card = getComputedStyle(document.querySelector(".card"))
      return [field.borderTopColor, field.backgroundColor, card.backgroundColor, getComputedStyle(document.body).backgroundColor]
    })()`)
    for (const side of sides) expect(contrast(edge ?? "", side)).toBeGreaterThanOrEqual(3)
  }
})

test(
  "with high contrast, masked values stay masked, and what has the focus is outlined",
  long,
  async ({ page, given }) => {
    await page.emulateMedia({ forcedColors: "active", reducedMotion: "reduce" })
    await expanded(page, given)
    const value = production(page).getByRole("listitem", { name: "LOG_LEVEL" }).getByLabel("Value")
    const transparent = "rgba(0, 0, 0, 0)"
    await expect(value).toHaveCSS("color", transparent)
    await value.focus()
    await expect(value).not.toHaveCSS("color", transparent)
    await expect(value).toHaveCSS("outline-style", "solid")
    await page.keyboard.press("ControlOrMeta+k")
    await expect(page.getByRole("option", { selected: true })).toHaveCSS("outline-style", "solid")
  },
)

test("the mobile menu has no axe violations", async ({ page, given }) => {
  await given.admin()
  await page.setViewportSize({ width: 375, height: 800 })
  await page.goto("/collection/dashboard")
  await page.getByRole("button", { name: "Open menu" }).click()
  await expect(page.getByRole("dialog").getByRole("link", { name: "Logout" })).toBeVisible()
  expect(await violations(page, "light")).toEqual([])
})

/** The contrast ratio of WCAG for two colours written as rgb(r, g, b). */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map((part) => {
    const share = Number(part) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
