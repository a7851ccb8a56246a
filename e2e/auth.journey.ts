import type { Page, Request } from "@playwright/test"
import { contactUrl } from "./server.ts"
import { expect, expectNotification, long, password, test } from "./test.ts"

async function register(page: Page, fields: Record<string, string>): Promise<void> {
  await page.goto("/register")
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value)
  await page.getByRole("button", { name: "Register" }).click()
}

test("a guest registers, logs in and logs out", async ({ page }) => {
  await page.goto("/login")
  await page.getByRole("main").getByRole("link", { name: "Register" }).click()
  await expect(page).toHaveURL("/register")
  await expect(page).toHaveTitle("Register · Envkeep")
  await expect(page.getByRole("main").getByRole("link", { name: "Login" })).toHaveAttribute("href", "/login")

  await page.getByLabel("Username").fill("ann")
  await page.getByLabel("Email").fill("Ann.Journey@example.com")
  await page.getByLabel("Password", { exact: true }).fill(password)
  await page.getByLabel("Confirm password").fill(password)
  await page.getByRole("button", { name: "Register" }).click()
  await expectNotification(page, "Registered successfully")

  await expect(page).toHaveURL("/login")
  await expect(page.getByLabel("Email")).toHaveValue(/ann\.journey@example\.com/i)
  await page.getByLabel("Password", { exact: true }).fill(password)
  await page.keyboard.press("Enter")
  await expectNotification(page, "Logged in successfully")
  await expect(page).toHaveURL("/collection/dashboard")
  await expect(page.getByRole("navigation", { name: "Main" }).getByRole("link")).toHaveText([
    "Home",
    "Collections",
    "Profile",
    "Logout",
  ])

  await page.getByRole("link", { name: "Logout" }).click()
  await expectNotification(page, "Logged out successfully")
  await expect(page).toHaveURL("/login")
  await page.goto("/collection/dashboard")
  await expect(page).toHaveURL("/login")
})

test("a login needs both fields and the right password", async ({ page, given }) => {
  const { email } = await given.account()
  await page.goto("/login")
  await page.getByRole("button", { name: "Login" }).click()
  await expectNotification(page, "Please fill in all fields")
  await expect(page.getByLabel("Email")).toBeFocused()

  await page.getByLabel("Email").fill(email)
  await page.getByRole("button", { name: "Login" }).click()
  await expectNotification(page, "Please fill in all fields")

  await page.getByLabel("Password", { exact: true }).fill("not the password")
  await page.getByRole("button", { name: "Login" }).click()
  await expectNotification(page, "Invalid credentials")
  await expect(page).toHaveURL("/login")
})

test("a forgotten password: the login page says whom to ask, and a reset link sets a new one, once", async ({
  page,
  given,
  server,
}) => {
  const { email } = await given.user()
  await page.goto("/user/logout")
  await expect(page.getByText("Forgot your password?")).toBeVisible()
  await expect(page.getByRole("link", { name: "administrator of this server" })).toHaveAttribute("href", contactUrl)

  const { hash } = new URL(await server.command("admin", "reset-link", email))
  await page.goto(`/reset${hash}`)
  await expect(page).toHaveURL("/reset")
  await expect(page).toHaveTitle("Reset password · Envkeep")
  await page.reload()
  await page.getByRole("button", { name: "Set new password" }).click()
  await expectNotification(page, "Please fill all the fields")
  await page.getByLabel("New password").fill("a password after the reset")
  await page.getByLabel("Confirm password").fill("another one")
  await page.getByRole("button", { name: "Set new password" }).click()
  await expectNotification(page, "Passwords do not match")
  await page.getByLabel("Confirm password").fill("a password after the reset")
  await page.keyboard.press("Enter")
  await expectNotification(page, "Password updated successfully. Please log in with it")
  await expect(page).toHaveURL("/login")

  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password", { exact: true }).fill("a password after the reset")
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL("/collection/dashboard")

  // Used links, unknown ones and none at all say so in place of the form, also to a person who is signed in.
  for (const [link, sentence] of [
    [hash, "This link has been used already"],
    ["#made-up-token", "This link is not valid"],
    ["", "This link is not valid"],
  ] as const) {
    await page.goto("/")
    await page.goto(`/reset${link}`)
    await expect(page.getByRole("main").getByText(sentence)).toBeVisible()
    await expect(page.getByRole("main").getByText("for a reset link")).toBeVisible()
    await expect(page.getByLabel("New password")).toHaveCount(0)
  }
})

test("a login that fails without a message says 'Invalid credentials'", long, async ({ page }) => {
  await page.route("**/api/users/login", (route) => route.fulfill({ status: 401, body: "" }))
  await page.goto("/login")
  await page.getByLabel("Email").fill("ann@example.com")
  await page.getByLabel("Password", { exact: true }).fill(password)
  await page.getByRole("button", { name: "Login" }).click()
  await expectNotification(page, "Invalid credentials")
})

test("a registration is checked before it is sent", long, async ({ page, given }) => {
  let sent = 0
  page.on("request", (request) => {
    if (request.url().endsWith("/users/register")) sent++
  })
  await register(page, { Username: "ann", Email: "ann@example.com" })
  await expectNotification(page, "Please fill in all fields")
  await register(page, {
    Username: "ann",
    Email: "ann@example.com",
    Password: password,
    "Confirm password": "another one",
  })
  await expectNotification(page, "Passwords do not match")
  await register(page, { Username: "ann", Email: "ann@example.com", Password: "short", "Confirm password": "short" })
  await expectNotification(page, "Password must be at least 8 characters")
  expect(sent).toBe(0)

  const { email } = await given.account()
  await register(page, { Username: "ann", Email: email, Password: password, "Confirm password": password })
  await expectNotification(page, "This email is already registered")
  await expect(page.getByLabel("Username")).toHaveValue("ann")
})

test("a signed-in user is redirected from login and register", async ({ page, given }) => {
  await given.user()
  for (const path of ["/login", "/register"]) {
    await page.goto(path)
    await expect(page).toHaveURL("/collection/dashboard")
  }
})

test("after a logout the next user sees nothing of the previous one", async ({ page, given }) => {
  await given.user()
  await given.collection("hers alone")
  await given.collection("hers too")
  await page.goto("/collection/dashboard")
  await expect(page.getByRole("heading", { name: "hers alone" })).toBeVisible()
  const followed = page.waitForRequest(/\/live$/)
  await page.getByRole("link", { name: /hers alone/ }).click()
  await expect(page.getByRole("heading", { name: "hers alone", level: 1 })).toBeVisible()
  await followed
  const asked: string[] = []
  page.on("request", (request) => request.url().includes("/api/collection") && asked.push(request.url()))
  // The stream ends with the session, and that can be known before the answer is.
  await page.route("**/api/users/logout", async (route) => {
    const isStream = (request: Request) => request.url().endsWith("/live")
    const ended = Promise.race([
      page.waitForEvent("requestfinished", isStream),
      page.waitForEvent("requestfailed", isStream),
    ])
    const response = await route.fetch()
    await ended
    await page.evaluate("new Promise((resolve) => setTimeout(resolve))")
    await route.fulfill({ response })
  })
  await page.getByRole("link", { name: "Logout" }).click()
  await expect(page).toHaveURL("/login")
  await expectNotification(page, "Logged out successfully")
  await expect(page.getByRole("alert")).toHaveCount(0)
  expect(asked).toEqual([])

  const { email } = await given.account()
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password", { exact: true }).fill(password)
  await page.getByRole("button", { name: "Login" }).click()
  await expect(page).toHaveURL("/collection/dashboard")
  await expect(page.getByText("Name your first app")).toBeVisible()
  await expect(page.getByText("hers alone")).toHaveCount(0)
})

test("the profile's two forms save what they say", async ({ page, given }) => {
  const { username, email } = await given.user()
  await page.goto("/user/none")
  await expect(page).toHaveURL("/user/dashboard")
  await expect(page).toHaveTitle("Profile · Envkeep")
  await expect(page.getByLabel("Username")).toHaveValue(username)
  await expect(page.getByLabel("Email")).toHaveValue(email)

  await page.getByLabel("Username").fill("")
  await page.getByRole("button", { name: "Update user" }).click()
  await expectNotification(page, "Please fill all the fields")
  await page.getByLabel("Username").fill("ann the second")
  await page.getByRole("button", { name: "Update user" }).click()
  await expectNotification(page, "User updated successfully")

  await page.getByRole("button", { name: "Update password" }).click()
  await expectNotification(page, "Please fill all the fields")
  await page.getByLabel("Old password").fill(password)
  await page.getByLabel("New password").fill("a new password")
  await page.getByLabel("Confirm password").fill("another password")
  await page.getByRole("button", { name: "Update password" }).click()
  await expectNotification(page, "Passwords do not match")
  await page.getByLabel("Confirm password").fill("a new password")
  await page.getByLabel("Old password").fill("not the old one")
  await page.getByRole("button", { name: "Update password" }).click()
  await expectNotification(page, "Old password is incorrect")
  await expect(page.getByText("Old password is incorrect")).toBeVisible()
  await expect(page.getByLabel("Old password")).toBeFocused()
  await page.keyboard.press("Tab")
  await expect(page.getByLabel("New password")).toBeFocused()
  await page.getByLabel("Old password").fill(password)
  await page.getByRole("button", { name: "Update password" }).click()
  await expectNotification(page, "Password updated successfully")
  await expect(page.getByLabel("Old password")).toHaveValue("")

  await page.reload()
  await expect(page.getByLabel("Username")).toHaveValue("ann the second")
})
