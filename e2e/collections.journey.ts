import { chooseMore, expect, expectNotification, long, test } from "./test.ts"

test("a first collection is created, opened, renamed and deleted", async ({ page, given }) => {
  await given.user()
  await page.goto("/collection/dashboard")
  await expect(page).toHaveTitle("Collections · Envkeep")
  await page.getByRole("link", { name: "New Collection" }).click()
  await expect(page).toHaveURL("/collection/new")

  await page.getByLabel("Name").fill("   ")
  await page.getByRole("button", { name: "Create" }).click()
  await expectNotification(page, "Name is required")
  await page.getByLabel("Name").fill("  billing ")
  await page.getByLabel("Description").fill("Sends invoices.")
  await page.getByRole("button", { name: "Create" }).click()
  await expectNotification(page, "Collection created")
  await expect(page).toHaveURL(/\/collection\/\d+$/)
  await expect(page.getByRole("heading", { name: "billing", exact: true })).toBeVisible()
  await expect(page.getByText("Sends invoices.")).toBeVisible()
  await expect(page).toHaveTitle("billing · Envkeep")
  await page.goBack()
  await expect(page).toHaveURL("/collection/dashboard")
  await page.goForward()

  await page.getByRole("button", { name: "Edit name" }).click()
  await expect(page.getByLabel("Name", { exact: true })).toBeFocused()
  await page.getByLabel("Name", { exact: true }).fill(" ")
  await page.getByRole("button", { name: "Save" }).click()
  await expectNotification(page, "Name is required")
  await expect(page.getByText("Name is required", { exact: true })).toBeVisible()
  await page.getByLabel("Description").fill("Sends and books invoices.")
  await page.getByLabel("Name", { exact: true }).fill("invoices")
  await page.keyboard.press("Enter")
  await expectNotification(page, "Collection updated successfully")
  await expect(page.getByRole("button", { name: "Edit name" })).toBeFocused()
  await page.keyboard.press("Enter")
  await expect(page.getByLabel("Name", { exact: true })).toBeFocused()
  await page.keyboard.press("Escape")
  await expect(page.getByRole("button", { name: "Edit name" })).toBeFocused()
  await expect(page.getByRole("heading", { name: "invoices" })).toBeVisible()
  await expect(page.getByText("Sends and books invoices.")).toBeVisible()

  await page.getByRole("button", { name: "Delete collection" }).click()
  await expect(
    page.getByText("invoices has no environments. It moves to the trash. It can be restored from there for 30 days."),
  ).toBeVisible()
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click()
  await expect(page.getByRole("button", { name: "Delete collection" })).toBeFocused()
  await page.getByRole("button", { name: "Delete collection" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
  await expectNotification(page, "Collection deleted successfully")
  await expect(page).toHaveURL("/collection/dashboard")
  await expect(page.getByRole("heading", { name: "invoices" })).toHaveCount(0)
})

test("the dashboard starts with 'New Collection' and loads only when fewer than two are cached", async ({
  page,
  given,
}) => {
  await given.user()
  const first = await given.collection("first", "The first one")
  await given.collection("second")
  let loads = 0
  page.on("request", (request) => {
    if (request.method() === "GET" && request.url().endsWith("/api/collection")) loads++
  })

  await page.goto(`/collection/${first}`)
  await expect(page.getByRole("heading", { name: "first" })).toBeVisible()
  expect(loads).toBe(0)
  await page.getByRole("link", { name: "Collections" }).click()
  await expect(page.getByRole("heading", { level: 2 })).toHaveText(["New Collection", "first", "second"])
  expect(loads).toBe(1)

  await page.getByRole("link", { name: /first/ }).click()
  await expect(page.getByRole("heading", { name: "first" })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole("heading", { level: 2 })).toHaveCount(3)
  await page.getByRole("link", { name: "Profile" }).click()
  await page.getByRole("link", { name: "Collections" }).click()
  await expect(page.getByRole("heading", { level: 2 })).toHaveCount(3)
  expect(loads).toBe(1)
})

for (const width of [1280, 375]) {
  test(
    `forty collections are filtered and sorted at ${width} px`,
    width === 1280 ? {} : long,
    async ({ page, given }) => {
      await page.setViewportSize({ width, height: 800 })
      await given.user()
      for (let at = 1; at <= 39; at++) await given.collection(`service-${at}`)
      const id = await given.collection("Billing", "Sends invoices.")
      const long = "a-very-long-name-of-an-environment-that-would-need-three-lines-in-its-card"
      await given.environment(id, long)
      await given.environment(id, "b")
      await page.goto("/collection/dashboard")
      const cards = page.getByRole("heading", { level: 2 })
      await expect(cards).toHaveCount(41)
      await expect(cards.nth(1)).toHaveText("Billing")
      await expect(cards.nth(11)).toHaveText("service-10")
      await expect(page.getByRole("link", { name: /^Billing/ })).toContainText("Changed just now")
      const cut = "[...document.querySelectorAll('.chip')].filter((one) => one.scrollWidth > one.clientWidth).length"
      expect(await page.evaluate(cut)).toBe(1)
      expect((await page.getByText(long).boundingBox())?.height).toBeLessThan(30)

      await page.getByLabel("Sort by").selectOption("last change")
      await expect(cards.nth(40)).toHaveText("service-1")
      await page.reload()
      await expect(cards.nth(40)).toHaveText("service-1")

      await page.getByLabel("Filter collections").fill("INVOICES very-long")
      await expect(cards).toHaveText(["New Collection", "Billing"])
      await expect(page.getByText("1 of 40")).toBeVisible()
      await page.getByLabel("Filter collections").fill("nothing like it")
      await expect(page.getByText("No collection matches the filter")).toBeVisible()
      await page.getByRole("button", { name: "Clear the filter" }).click()
      await expect(page.getByLabel("Filter collections")).toBeFocused()
      await expect(cards).toHaveCount(41)
    },
  )
}

test("an address that is no collection leads a user to the dashboard", async ({ page, given }) => {
  await given.user()
  for (const path of ["/collection", "/collection/none", "/collection/1/more", "/collection/0", "/collection/1e3"]) {
    await page.goto(path)
    await expect(page, path).toHaveURL("/collection/dashboard")
  }
})

test("another user's collection looks like it does not exist", async ({ page, given }) => {
  await given.user()
  const hers = await given.collection("hers")
  await given.user()
  await page.goto(`/collection/${hers}`)
  await expectNotification(page, "Collection not found")
  await page.getByRole("link", { name: "Back to the dashboard" }).click()
  await expect(page).toHaveURL("/collection/dashboard")
})

test("environments are created, renamed, expanded and deleted", async ({ page, given }) => {
  await given.user()
  const id = await given.collection("billing")
  await page.goto(`/collection/${id}`)
  await expect(page.getByText("No environments yet")).toBeVisible()

  await page.getByRole("button", { name: "Create environment" }).click()
  await expectNotification(page, "Environment name is required")
  await page.getByLabel("Environment name").fill("staging")
  await page.keyboard.press("Enter")
  await expectNotification(page, "Environment created successfully")
  await page.getByRole("button", { name: "Create environment" }).click()
  await page.keyboard.type("staging")
  await page.keyboard.press("Enter")
  await expectNotification(page, "This collection already has an environment with that name")
  await expect(page.getByLabel("Environment name")).toHaveValue("staging")
  await page.keyboard.press("Escape")
  await expect(page.getByRole("button", { name: "Create environment" })).toBeFocused()

  const block = page.getByRole("region", { name: "staging" })
  const toggle = block.getByRole("button", { name: /staging/ })
  await expect(toggle).toContainText("0 items")
  await expect(toggle).toHaveAttribute("aria-expanded", "true")
  await expect(block.getByRole("button", { name: "Add item" })).toBeVisible()
  await toggle.click()
  await expect(toggle).toHaveAttribute("aria-expanded", "false")

  await chooseMore(block, "Edit name")
  await block.getByLabel("Name", { exact: true }).first().fill("")
  await block.getByRole("button", { name: "Save" }).click()
  await expectNotification(page, "Name is required")
  await block.getByRole("button", { name: "Cancel" }).click()
  await chooseMore(block, "Edit name")
  await block.getByLabel("Name", { exact: true }).first().fill("production")
  await page.keyboard.press("Enter")
  await expectNotification(page, "Environment updated successfully")

  const renamed = page.getByRole("region", { name: "production" })
  await expect(renamed.getByRole("button", { name: "More actions" })).toBeFocused()
  await chooseMore(renamed, "Delete environment")
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
  await expectNotification(page, "Environment deleted successfully")
  await expect(page.getByText("No environments yet")).toBeVisible()
})

for (const screen of ["", "/compare"]) {
  test(`the collection comes with the page of /collection/:id${screen}, and is not asked for again`, async ({
    page,
    given,
  }) => {
    await given.user()
    const collection = await given.collection("billing")
    let asked = 0
    page.on("request", (request) => {
      if (request.url().endsWith(`/api/collection/${collection}?tagged=true`)) asked++
    })
    const response = await page.goto(`/collection/${collection}${screen}`)
    expect(response?.headers()["link"]).toContain(`</api/collection/${collection}?tagged=true>; rel=preload`)
    await expect(page.getByRole("main").getByText("billing")).toBeVisible()
    expect(asked).toBe(1)
  })
}
