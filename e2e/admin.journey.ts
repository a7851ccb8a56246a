import type { Page } from "@playwright/test"
import { expect, expectNotification, long, password, test } from "./test.ts"

test("an admin sees every counter, each leading to its page", async ({ page, given }) => {
  await given.admin()
  await page.goto("/admin/none")
  await expect(page).toHaveURL("/admin/dashboard")
  await expect(page.getByRole("heading", { name: "Admin Dashboard" })).toBeVisible()
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link")).toHaveText([
    "Home",
    "Admin",
    "Collections",
    "Profile",
    "Logout",
  ])
  const tiles = page.getByRole("main").getByRole("listitem").getByRole("link")
  await expect(tiles).toHaveText([
    /^Products\d/,
    /^Users\d/,
    /^Collections\d/,
    /^Environments\d/,
    /^Items\d/,
    /^Subscriptions\d/,
  ])
  for (const entity of ["Users", "Collections", "Environments", "Items", "Subscriptions"]) {
    await page.getByRole("main").getByRole("link", { name: entity }).click()
    await expect(page).toHaveURL(`/admin/${entity.toLowerCase()}`)
    await expect(page.getByRole("heading", { name: entity, exact: true })).toBeVisible()
    await expect(page).toHaveTitle(`${entity} · Envkeep`)
    await page.getByRole("main").getByRole("link", { name: "Admin Dashboard" }).click()
  }
})

test("an admin creates a product, which the server validates", async ({ page, given }) => {
  await given.admin()
  await page.goto("/admin/products")
  await expect(page.getByRole("columnheader")).toHaveText(["ID", "Name", "Description", "Type", "Category"])
  await expect(page.getByText("No data found")).toBeVisible()

  const refused = page.waitForResponse("**/api/hrkljush/product/create")
  await page.getByRole("button", { name: "Create product" }).click()
  expect((await refused).status()).toBe(400)
  await expectNotification(page, "Name is required")

  await page.getByLabel("Name").fill("Support plan")
  await page.getByLabel("Description").fill("Answers within a day")
  await page.getByRole("combobox", { name: "Type" }).click()
  await expect(page.getByRole("option")).toHaveText(["SERVICE", "PHYSICAL", "DIGITAL"])
  await page.getByRole("option", { name: "DIGITAL" }).click()
  await page.getByRole("combobox", { name: "Category" }).click()
  const clipped =
    "[...document.querySelectorAll('[role=option]')].filter((one) => one.scrollWidth > one.clientWidth).length"
  expect(await page.evaluate(clipped)).toBe(0)
  await page.getByRole("combobox", { name: "Category" }).fill("clothing")
  await page.getByRole("option", { name: "CLOTHING", exact: true }).click()
  await page.getByRole("button", { name: "Create product" }).click()
  await expectNotification(page, "Product created successfully")
  await expect(page.getByRole("row").nth(1)).toContainText("Support planAnswers within a dayDIGITALCLOTHING")
  await expect(page.getByText("No data found")).toHaveCount(0)
  await page.getByRole("link", { name: "Admin Dashboard" }).click()
  await expect(page).toHaveURL("/admin/dashboard")
})

test(
  "an admin finds a user, makes a reset link, and disables and enables the account",
  long,
  async ({ page, given }) => {
    const { username, email } = await given.account()
    await given.admin()
    await page.goto("/admin/users")
    await expect(page.getByRole("columnheader")).toHaveText([
      "Username",
      "Email",
      "Status",
      "Last sign-in",
      "Collections",
      "Items",
      "Stored",
      "Actions",
    ])
    await page.getByLabel("Search").fill(username.toUpperCase())
    await expect(page.getByRole("status").filter({ hasText: "1 user" })).toBeVisible()
    const row = page.getByRole("row", { name: username })
    await expect(row).toContainText(`${username}${email}ActiveNever000 B`)

    const choose = async (action: string) => {
      await row.getByRole("button", { name: `Actions for ${username}` }).click()
      await page.getByRole("menuitem", { name: action }).click()
    }
    await choose("Create reset link")
    await page.getByRole("button", { name: "Create link" }).click()
    const link = page.getByLabel("Reset link", { exact: true })
    await expect(link).toHaveValue(/^http:.*\/reset#.{20,}$/)
    const token = new URL(await link.inputValue()).hash.slice(1)
    await page.getByRole("button", { name: "Copy" }).click()
    await expectNotification(page, "Copied to clipboard")
    await page.getByRole("button", { name: "Done" }).click()
    await expect(page.getByRole("dialog")).toHaveCount(0)
    expect((await page.request.post("/api/users/password/reset-link", { data: { token } })).status()).toBe(200)

    await choose("Disable account")
    await expect(page.getByRole("dialog")).toContainText("keys of collections that are shared with others go on")
    await page.getByRole("button", { name: "Disable account" }).click()
    await expectNotification(page, "Account disabled")
    await expect(row).toContainText("Disabled")
    expect((await page.request.post("/api/users/login", { data: { email, password } })).status()).toBe(403)
    await page.getByLabel("Show", { exact: true }).selectOption("Disabled accounts")
    await expect(row).toContainText("Disabled")
    await choose("Enable account")
    await expectNotification(page, "Account enabled")
    await expect(page.getByText("No user matches")).toBeVisible()
    await page.getByRole("button", { name: "Show everyone" }).click()
    await expect(page.getByRole("columnheader", { name: "Username" })).toHaveAttribute("aria-sort", "ascending")
    await page.getByRole("button", { name: "Stored" }).click()
    await expect(page.getByRole("columnheader", { name: "Stored" })).toHaveAttribute("aria-sort", "descending")
  },
)

test(
  "an admin makes another one, who takes the rights back; the last one keeps them",
  long,
  async ({ page, given, browser }) => {
    const { username, email } = await given.account()
    await given.admin()
    const own = (await (await page.request.get("/api/users/me")).json()) as { data: { username: string } }
    const act = async (on: Page, name: string, action: string) => {
      await on.getByLabel("Search").fill(name)
      await on.getByRole("button", { name: `Actions for ${name}`, exact: true }).click()
      await on.getByRole("menuitem", { name: action }).click()
      await on.getByRole("dialog").getByRole("button", { name: action }).click()
    }
    await page.goto("/admin/users")
    await act(page, own.data.username, "Revoke admin")
    await expectNotification(page, "This is the last administrator. Make another account one first")
    await act(page, username, "Make admin")
    await expectNotification(page, "The account is now an administrator")

    const other = await (await browser.newContext({ baseURL: new URL(page.url()).origin })).newPage()
    await other.goto("/login")
    await other.getByLabel("Email").fill(email)
    await other.getByLabel("Password", { exact: true }).fill(password)
    await other.keyboard.press("Enter")
    await other.getByRole("link", { name: "Admin", exact: true }).click()
    await expect(other.getByRole("heading", { name: "Admin Dashboard" })).toBeVisible()
    await other.goto("/admin/users")
    await act(other, username, "Revoke admin")
    await expect(other).toHaveURL("/")
    await expect(other.getByRole("link", { name: "Admin", exact: true })).toHaveCount(0)
    await other.context().close()
  },
)

test("a chart shows how many there were, over 30, 90 or 365 days", long, async ({ page, given }) => {
  await given.admin()
  const asked: string[] = []
  await page.route("**/api/admin/daily-counts*", (route) => {
    asked.push(new URL(route.request().url()).search)
    const day = new Date(Date.now() - 20 * 24 * 3_600_000).toISOString().slice(0, 10)
    const counts = { productsCount: 0, usersCount: 0, environmentsCount: 0, itemsCount: 0, subscriptionsCount: 0 }
    return route.fulfill({
      json: { error: false, msg: "OK", data: { days: [{ day, collectionsCount: 1_000_000, ...counts }] } },
    })
  })
  await page.goto("/admin/collections")
  await expect(page.getByRole("img", { name: /^Collections: 1,000,000 on .*, \d+ now/ })).toBeVisible()
  await page.getByLabel("Period").selectOption("Last 365 days")
  await expect(page.getByText(/^−[\d,]+ in 365 days$/)).toBeVisible()
  // The counts that are there are shown until the new ones come.
  await expect.poll(() => asked).toEqual(["?days=30", "?days=365"])
  await expect(page.getByRole("table")).toHaveCount(await page.getByRole("heading", { level: 2 }).count())
})

test("counters that cannot be loaded are marked", long, async ({ page, given }) => {
  await given.admin()
  await page.route("**/api/hrkljush", (route) =>
    route.fulfill({ status: 500, json: { error: true, msg: "Something went wrong on our side", data: null } }),
  )
  await page.goto("/admin/dashboard")
  await expectNotification(page, "Something went wrong on our side")
  await expect(page.getByRole("main").getByRole("link", { name: /Error/ })).toHaveCount(6)
  await page.unroute("**/api/hrkljush")
  await page.getByRole("button", { name: "Try again" }).click()
  await expect(page.getByRole("main").getByRole("link", { name: /Error/ })).toHaveCount(0)
})

test("an admin who logs out in the admin area comes to the login page", long, async ({ page, given }) => {
  for (const at of ["dashboard", "products", "users"]) {
    await given.admin()
    await page.goto(`/admin/${at}`)
    await page.getByRole("link", { name: "Logout" }).click()
    await expect(page.getByRole("heading", { name: "Login" })).toBeVisible()
    await expect(page).toHaveURL("/login")
  }
})

test("a user who is not an admin is sent to the home page", async ({ page, given }) => {
  await given.user()
  for (const path of ["/admin/dashboard", "/admin/products", "/admin/none"]) {
    await page.goto(path)
    await expect(page).toHaveURL("/")
  }
  await expect(page.getByRole("link", { name: "Admin" })).toHaveCount(0)
})
