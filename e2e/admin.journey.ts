import { expect, expectNotification, test } from "./test.ts"

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
    await expect(page.getByRole("main").getByRole("link")).toHaveCount(0)
    await page.goBack()
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

test("counters that cannot be loaded are marked", async ({ page, given }) => {
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

test("an admin who logs out in the admin area comes to the login page", async ({ page, given }) => {
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
