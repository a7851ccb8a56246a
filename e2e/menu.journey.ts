import { expect, long, test } from "./test.ts"

test.use({ contextOptions: { reducedMotion: "no-preference" } })

for (const width of [375, 768]) {
  test(`at ${width} px the links are a menu that slides in`, width === 375 ? {} : long, async ({ page, given }) => {
    await given.user()
    await page.setViewportSize({ width, height: 800 })
    await page.goto("/collection/dashboard")
    await expect(page.getByRole("link", { name: "Profile" })).toHaveCount(0)
    await expect(page.getByRole("banner")).toHaveCSS("height", "80px")

    const toggle = page.getByRole("button", { name: "Open menu" })
    await toggle.click()
    const menu = page.getByRole("dialog")
    await expect(menu.getByRole("link")).toHaveText(["Home", "Collections", "Profile", "Logout"])
    await expect(menu.getByRole("link", { name: "Collections" })).toHaveAttribute("aria-current", "page")
    await expect.poll(async () => (await page.locator(".mantine-Drawer-content").boundingBox())?.width).toBe(width)

    for (let presses = 0; presses < 8; presses++) {
      await page.keyboard.press("Tab")
      await expect(menu.locator(":focus")).toHaveCount(1)
    }
    await page.keyboard.press("Escape")
    await expect(menu).toHaveCount(0)
    await expect(toggle).toBeFocused()

    await toggle.click()
    await menu.getByRole("link", { name: "Profile" }).click()
    await expect(menu).toHaveCount(0)
    await expect(page).toHaveURL("/user/dashboard")
  })
}

test("at 769 px the links are in the bar", long, async ({ page }) => {
  await page.setViewportSize({ width: 769, height: 800 })
  await page.goto("/")
  await expect(page.getByRole("link", { name: "Login" })).toBeVisible()
  await expect(page.getByRole("button", { name: "Open menu" })).toHaveCount(0)
})

test("an open menu closes when the window is widened", long, async ({ page }) => {
  await page.setViewportSize({ width: 600, height: 800 })
  await page.goto("/")
  await page.getByRole("button", { name: "Open menu" }).click()
  await expect(page.getByRole("dialog")).toBeVisible()
  await page.setViewportSize({ width: 1000, height: 800 })
  await expect(page.getByRole("dialog")).toHaveCount(0)
  await expect(page.getByRole("link", { name: "Login" })).toBeVisible()
})

test("the keyboard can skip to the content", async ({ page }) => {
  await page.goto("/")
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible()
  await page.keyboard.press("Tab")
  await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused()
  await page.keyboard.press("Enter")
  await page.keyboard.press("Tab")
  await expect(page.getByRole("main").locator(":focus")).toHaveCount(1)
})

test("a page that starts with a field has the focus in it", long, async ({ page, given }) => {
  await page.goto("/login")
  await expect(page.getByLabel("Email")).toBeFocused()
  await page.getByRole("link", { name: "Register", exact: true }).click()
  await expect(page.getByLabel("Username")).toBeFocused()
  await given.user()
  await page.goto("/collection/new")
  await expect(page.getByLabel("Name")).toBeFocused()
})

test("the back button goes through the screens", async ({ page, given }) => {
  await given.user()
  const id = await given.collection("billing")
  await page.goto("/")
  await page.getByRole("link", { name: "Collections" }).click()
  await page.getByRole("link", { name: /billing/ }).click()
  await expect(page).toHaveURL(`/collection/${id}`)
  await page.getByRole("link", { name: "Profile" }).click()
  await expect(page.getByRole("heading", { name: "Profile" })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole("heading", { name: "billing" })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole("heading", { name: "Collections" })).toBeVisible()
  await page.goBack()
  await expect(page).toHaveURL("/")
  await page.goForward()
  await expect(page).toHaveURL("/collection/dashboard")
})
