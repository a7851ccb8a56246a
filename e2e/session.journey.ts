import { chooseMore, expect, expectNotification, long, password, test, unreachable } from "./test.ts"

const firefox = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0"

test("a session that ended elsewhere says so and shows the login page", async ({ page, given, context }) => {
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production", [{ name: "PORT", value: "8080" }])
  await page.goto(`/collection/${id}`)
  await page.getByRole("button", { name: /^production/ }).click()
  await page.getByRole("listitem").getByLabel("Value").fill("9090")
  await context.clearCookies()
  await page.getByRole("button", { name: "Save" }).click()
  await expectNotification(page, "Please log in first")
  await expect(page).toHaveURL("/login")
  await expect(page.getByRole("link", { name: "Collections" })).toHaveCount(0)
})

test("a new password ends the session in another browser", long, async ({ page, given, browser, server }) => {
  const { email } = await given.user()
  const other = await browser.newContext({ baseURL: server.url })
  await other.request.post("/api/users/login", { data: { email, password } })
  const elsewhere = await other.newPage()
  await elsewhere.goto("/collection/new")
  await elsewhere.getByLabel("Name").fill("too late")
  await page.goto("/user/dashboard")
  await page.getByLabel("Old password").fill(password)
  await page.getByLabel("New password").fill("another password")
  await page.getByLabel("Confirm password").fill("another password")
  await page.getByRole("button", { name: "Update password" }).click()
  await expectNotification(page, "Password updated successfully")

  await elsewhere.getByRole("button", { name: "Create" }).click()
  await expectNotification(elsewhere, "Please log in first")
  await expect(elsewhere).toHaveURL("/login")
  await page.reload()
  await expect(page.getByRole("heading", { name: "Profile" })).toBeVisible()
  await other.close()
})

test(
  "sessions are listed, and one that is ended elsewhere ends at once",
  long,
  async ({ page, given, browser, server }) => {
    const { email } = await given.user()
    const other = await browser.newContext({ baseURL: server.url, userAgent: firefox })
    await other.request.post("/api/users/login", { data: { email, password } })
    const elsewhere = await other.newPage()
    await elsewhere.goto("/collection/new")
    await elsewhere.getByLabel("Name").fill("too late")

    await page.goto("/user/dashboard")
    const sessions = page.getByRole("list", { name: "Sessions" }).getByRole("listitem")
    await expect(sessions).toHaveCount(2)
    await expect(sessions.filter({ hasText: "This session" })).toHaveCount(1)
    const firefoxSession = sessions.filter({ hasText: "Firefox on Windows" })
    await expect(firefoxSession).toContainText("Last seen within the last hour")
    await firefoxSession.getByRole("button").click()
    await expectNotification(page, "Session ended successfully")
    await expect(sessions).toHaveCount(1)
    await expect(page.getByRole("heading", { name: "Sessions" })).toBeFocused()

    await elsewhere.getByRole("button", { name: "Create" }).click()
    await expect(elsewhere).toHaveURL("/login")

    for (let logins = 0; logins < 2; logins++) {
      await elsewhere.context().clearCookies()
      await other.request.post("/api/users/login", { data: { email, password } })
    }
    await page.reload()
    await page.getByRole("button", { name: "End all other sessions" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "End sessions" }).click()
    await expectNotification(page, "All other sessions ended successfully")
    await expect(sessions).toHaveCount(1)
    await other.close()
  },
)

test(
  "a token is made for one collection, shown once, used and revoked",
  long,
  async ({ page, given, playwright, server }) => {
    await given.user()
    await given.collection("billing")
    await given.collection("shop")
    await page.goto("/user/dashboard")
    await page.getByRole("button", { name: "New token" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("button", { name: "Create token" }).click()
    await expectNotification(page, "Name is required")
    await dialog.getByRole("textbox", { name: "Name" }).fill("laptop")
    await dialog.getByRole("radio", { name: "Names" }).check()
    await dialog.getByLabel("Only some").check()
    await dialog.getByRole("button", { name: "Create token" }).click()
    await expectNotification(page, "Choose at least one collection")
    await dialog.getByLabel("billing").check()
    await dialog.getByRole("button", { name: "Create token" }).click()
    await expectNotification(page, "Token created successfully")
    const token = (await dialog.getByText(/^ept_\w{46}$/).textContent()) ?? ""
    await dialog.getByRole("button", { name: "Done" }).click()

    const row = page.getByRole("list", { name: "Personal tokens" }).getByRole("listitem", { name: "laptop" })
    await expect(row).toContainText("billing")
    await expect(page.getByText(token)).toHaveCount(0)
    const program = await playwright.request.newContext({
      baseURL: server.url,
      extraHTTPHeaders: { authorization: `Bearer ${token}` },
    })
    const { data } = await (await program.get("/api/collection")).json()
    expect(data).toMatchObject([{ name: "billing" }])

    await row.getByRole("button", { name: "Revoke" }).click()
    await dialog.getByRole("button", { name: "Revoke" }).click()
    await expectNotification(page, "Token revoked successfully")
    await expect(page.getByText("No tokens")).toBeVisible()
    expect((await program.get("/api/collection")).status()).toBe(401)
    await program.dispose()
  },
)

test("an account is deleted by its owner, once no collection is left", long, async ({ page, given }) => {
  const { email } = await given.user()
  const id = await given.collection("billing")
  await page.goto("/user/dashboard")
  await page.getByRole("button", { name: "Delete account" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByRole("link", { name: "billing" }).click()
  await expect(page).toHaveURL(`/collection/${id}`)
  await page.request.delete(`/api/collection/${id}`)

  await page.goto("/user/dashboard")
  await page.getByRole("button", { name: "Delete account" }).click()
  await expect(dialog).toContainText("What is in your trash is deleted too: 1 collection")
  await dialog.getByLabel("Password").fill("not the password")
  await dialog.getByRole("button", { name: "Delete account" }).click()
  await expectNotification(page, "Password is incorrect")
  await dialog.getByLabel("Password").fill(password)
  await page.keyboard.press("Enter")
  await expectNotification(page, "Account deleted successfully")
  await expect(page).toHaveURL("/login")
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password", { exact: true }).fill(password)
  await page.getByRole("button", { name: "Login" }).click()
  await expectNotification(page, "Invalid credentials")
})

test("nothing that was typed is lost while the server is down", async ({ page, given, server }) => {
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production", [{ name: "PORT", value: "8080" }])
  await page.goto(`/collection/${id}`)
  await page.getByRole("button", { name: /^production/ }).click()
  await server.stop()

  const row = page.getByRole("listitem", { name: "PORT" })
  await row.getByLabel("Value").fill("9090")
  await row.getByRole("button", { name: "Save" }).click()
  await expectNotification(page, unreachable)
  await expect(row.getByLabel("Value")).toHaveValue("9090")
  const add = page.getByRole("form", { name: "Add item" })
  await add.getByLabel("Name").fill("HOST")
  await add.getByLabel("Value").fill("localhost")
  await page.keyboard.press("Enter")
  await expectNotification(page, unreachable)
  await page.getByRole("button", { name: "Edit raw values" }).click()
  const text = page.getByLabel("Raw values", { exact: true })
  await text.fill("A=1")
  await page.getByRole("button", { name: "Confirm" }).click()
  await expectNotification(page, unreachable)
  await expect(text).toHaveValue("A=1")
  await page.getByRole("button", { name: "Cancel" }).click()
  await page.getByRole("button", { name: "Discard" }).click()
  await expect(add.getByLabel("Value")).toHaveValue("localhost")

  await server.start()
  await row.getByRole("button", { name: "Save" }).click()
  await expectNotification(page, "Item updated successfully")
  await add.getByRole("button", { name: "Add item" }).click()
  await expectNotification(page, "Item created successfully")
})

test("screens still open while the server is down", long, async ({ page, given, server }) => {
  await given.user()
  await page.goto("/collection/new")
  // The other screens are loaded once this one is used. The search is the last of them.
  const last = page.waitForResponse(/FindDialog-[^/]*\.js$/)
  await page.mouse.move(5, 5)
  await (await last).finished()
  await server.stop()
  await page.getByRole("link", { name: "Profile" }).click()
  await expect(page.getByRole("heading", { name: "Profile" })).toBeVisible()
  await server.start()
})

test("a failed logout changes nothing", long, async ({ page, given, server }) => {
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production", [{ name: "PORT", value: "8080" }])
  await page.goto("/collection/new")
  await page.getByLabel("Name").fill("half typed")
  await server.stop()
  await page.getByRole("link", { name: "Logout" }).click()
  await expectNotification(page, unreachable)
  await expect(page).toHaveURL("/collection/new")
  await expect(page.getByLabel("Name")).toHaveValue("half typed")

  await server.start()
  await page.goto(`/collection/${id}`)
  await page.getByRole("button", { name: /^production/ }).click()
  const value = page.getByRole("listitem", { name: "PORT" }).getByLabel("Value")
  await value.fill("9090")
  await page.route("**/api/users/logout", (route) => route.abort())
  // It asks every time: the choice to leave is not remembered.
  for (let tries = 0; tries < 2; tries++) {
    await page.getByRole("link", { name: "Logout" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Leave" }).click()
    await expectNotification(page, unreachable)
    await expect(page.getByRole("dialog")).toHaveCount(0)
    await expect(value).toHaveValue("9090")
  }
})

test("a list that could not be loaded can be loaded again", long, async ({ page, given }) => {
  await given.user()
  await given.collection("billing")
  await page.goto("/collection/new")
  await page.route("**/api/collection", (route) => route.abort())
  await page.getByRole("link", { name: "Collections" }).click()
  await expectNotification(page, unreachable)
  await page.unroute("**/api/collection")
  await page.getByRole("button", { name: "Try again" }).click()
  await expect(page.getByRole("heading", { name: "billing" })).toBeVisible()
})

test("two tabs: signing out in one signs the other out, signing in brings both back", async ({
  page,
  given,
  context,
}) => {
  const { email } = await given.user()
  await page.goto("/collection/dashboard")
  const other = await context.newPage()
  await other.goto("/user/dashboard")
  await expect(other.getByRole("heading", { name: "Profile" })).toBeVisible()

  await page.getByRole("link", { name: "Logout" }).click()
  await expect(page).toHaveURL("/login")
  await expect(other).toHaveURL("/login")
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password", { exact: true }).fill(password)
  await page.getByRole("button", { name: "Login" }).click()
  await expect(page).toHaveURL("/collection/dashboard")
  await expect(other).toHaveURL("/collection/dashboard")
})

test("two tabs: the other tab is told what one deletes", long, async ({ page, given, context }) => {
  await given.user()
  const id = await given.collection("billing")
  await given.environment(id, "production")
  await page.goto(`/collection/${id}`)
  const other = await context.newPage()
  await other.goto(`/collection/${id}`)
  await chooseMore(page.getByRole("region", { name: "production" }), "Delete environment")
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
  await expectNotification(page, "Environment deleted successfully")

  await expectNotification(other, "The environment production was deleted")
  await expect(other.getByText("No environments yet")).toBeVisible()
})

test("a form is sent once, no matter how often its button is pressed", async ({ page, given }) => {
  await given.user()
  await page.goto("/collection/new")
  await page.getByLabel("Name").fill("only one")
  let sent = 0
  const pressed = Promise.withResolvers<void>()
  await page.route("**/api/collection", async (route) => {
    if (route.request().method() === "POST") sent++
    await pressed.promise
    await route.continue()
  })
  await page.evaluate(`{
    const button = [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Create")
    button.click(); button.click(); button.form.requestSubmit()
  }`)
  await expect(page.getByRole("button", { name: "Create" })).toHaveAttribute("data-loading", "true")
  pressed.resolve()
  await expect(page).toHaveURL(/\/collection\/\d+/)
  expect(sent).toBe(1)
})
