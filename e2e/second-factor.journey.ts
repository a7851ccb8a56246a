import { DatabaseSync } from "node:sqlite"
import { codeOf, nextCodeOf } from "@envkeep/testing/authenticator.ts"
import type { Page } from "@playwright/test"
import { violations } from "./axe.ts"
import { expect, expectNotification, long, password, test } from "./test.ts"

async function enterPassword(page: Page, email: string): Promise<void> {
  await page.getByLabel("Email").fill(email)
  await page.getByLabel("Password", { exact: true }).fill(password)
  await page.getByRole("button", { name: "Login" }).click()
  await expect(page.getByRole("heading", { name: "Confirm your login" })).toBeVisible()
}

async function logOut(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Logout" }).click()
  await expectNotification(page, "Logged out successfully")
}

test("an authenticator app is set up, and from then on a login asks for its code", async ({ page, given }) => {
  test.slow()
  const { email } = await given.user()
  await page.goto("/user/dashboard")
  await page.getByRole("button", { name: "Set up an authenticator app" }).click()
  const dialog = page.getByRole("dialog")
  await expect(dialog.getByRole("img", { name: "QR code for your authenticator app" })).toBeVisible()
  for (const scheme of ["light", "dark"] as const) expect(await violations(page, scheme)).toEqual([])
  const secret = (await dialog.locator("code").innerText()).replaceAll(/\s/g, "")
  await dialog.getByLabel("Code", { exact: true }).fill("000")
  await page.keyboard.press("Enter")
  await expect(dialog.getByText("A code has 6 digits")).toBeVisible()
  await dialog.getByLabel("Code", { exact: true }).fill(codeOf(secret))
  await page.keyboard.press("Enter")
  await expectNotification(page, "Authenticator app switched on")
  const codes = await dialog.getByRole("list", { name: "Recovery codes" }).getByRole("listitem").allInnerTexts()
  expect(codes).toHaveLength(10)
  expect(await violations(page, "light")).toEqual([])
  await dialog.getByRole("button", { name: "I have saved them" }).click()
  await expect(page.getByText("10 codes are left")).toBeVisible()
  await expect(page.getByRole("button", { name: "Switch off the authenticator app" })).toBeVisible()

  await logOut(page)
  await enterPassword(page, email)
  await expect(page.getByLabel("Code", { exact: true })).toBeFocused()
  for (const scheme of ["light", "dark"] as const) expect(await violations(page, scheme)).toEqual([])
  // The page has no session yet.
  await page.goto("/collection/dashboard")
  await expect(page).toHaveURL("/login")
  await enterPassword(page, email)
  await page.getByLabel("Code", { exact: true }).fill(nextCodeOf(secret))
  await page.keyboard.press("Enter")
  await expectNotification(page, "Logged in successfully")
  await expect(page).toHaveURL("/collection/dashboard")

  await logOut(page)
  await enterPassword(page, email)
  await page.getByRole("button", { name: "Use a recovery code" }).click()
  await page.getByLabel("Recovery code").fill(codes[0]?.toLowerCase().replaceAll("-", "") ?? "")
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL("/collection/dashboard")
  await page.goto("/user/dashboard")
  await expect(page.getByText("9 codes are left")).toBeVisible()
})

test("a while after the login, something sensitive asks for the password and is then done", async ({
  page,
  given,
  server,
}) => {
  await given.user()
  const collectionId = await given.collection("billing")
  const database = new DatabaseSync(`${server.dataDir}/envkeep.db`)
  database.exec("update session set confirmed_at = 0")
  database.close()
  await page.goto(`/collection/${collectionId}`)
  await page.getByRole("button", { name: "Delete collection" }).click()
  await page
    .getByRole("dialog")
    .getByRole("button", { name: /^(Delete|Move to trash)/ })
    .click()
  const question = page.getByRole("dialog", { name: "Confirm that it is you" })
  await expect(question.getByLabel("Your password")).toBeFocused()
  for (const scheme of ["light", "dark"] as const) expect(await violations(page, scheme)).toEqual([])
  await question.getByLabel("Your password").fill(password)
  await page.keyboard.press("Enter")
  await expect(page).toHaveURL("/collection/dashboard")
  await expect(page.getByRole("link", { name: "billing" })).toHaveCount(0)
})

test(
  "an administrator makes a link for a lost second factor, and its holder logs in with it",
  long,
  async ({ page, given }) => {
    const { username, email } = await given.user()
    const begun = await (await page.request.post("/api/users/me/totp", { data: {} })).json()
    await page.request.post("/api/users/me/totp/confirm", { data: { code: codeOf(begun.data.secret) } })
    await given.admin()
    await page.goto("/admin/users")
    await page.getByLabel("Search").fill(username)
    await page.getByRole("button", { name: `Actions for ${username}` }).click()
    await page.getByRole("menuitem", { name: "Lost second factor" }).click()
    await page.getByRole("button", { name: "Create link" }).click()
    const link = await page.getByLabel("Link", { exact: true }).inputValue()
    await page.getByRole("button", { name: "Done" }).click()
    await logOut(page)

    await page.goto(link)
    await expect(page.getByRole("heading", { name: "Log in without your second factor" })).toBeVisible()
    expect(new URL(page.url()).hash).toBe("")
    await page.getByLabel("Email").fill(email)
    await page.getByLabel("Password", { exact: true }).fill(password)
    await page.getByRole("button", { name: "Login" }).click()
    await expectNotification(page, "Logged in successfully. Your second factors were removed")
    await page.goto("/user/dashboard")
    await expect(page.getByRole("button", { name: "Set up an authenticator app" })).toBeVisible()
  },
)
