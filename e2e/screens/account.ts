import { codeOf } from "@envkeep/testing/authenticator.ts"
import type { Page } from "@playwright/test"
import { expect, password } from "../test.ts"
import { heading, type Screen } from "./screen.ts"

async function setUpTotp(page: Page): Promise<void> {
  const { data } = await (await page.request.post("/api/users/me/totp", { data: {} })).json()
  await page.request.post("/api/users/me/totp/confirm", { data: { code: codeOf(data.secret) } })
}

export const accountScreens: Screen[] = [
  {
    name: "profile",
    async show(page, given) {
      await given.user()
      await page.request.post("/api/users/me/tokens", { data: { name: "nightly-backup", scope: "read", days: 90 } })
      await heading(page, "/user/dashboard", "Profile")
      await expect(page.getByText("This session")).toBeVisible()
      await expect(page.getByText("nightly-backup")).toBeVisible()
    },
  },
  {
    name: "new-token",
    async show(page, given) {
      await given.user()
      await given.collection("billing")
      await page.goto("/user/dashboard")
      await page.getByRole("button", { name: "New token" }).click()
      await page.getByLabel("Only some").check()
      await page.getByLabel("billing").check()
    },
  },
  {
    name: "totp-setup",
    async show(page, given) {
      await given.user()
      await page.goto("/user/dashboard")
      await page.getByRole("button", { name: "Set up an authenticator app" }).click()
      await expect(page.getByRole("img", { name: "QR code for your authenticator app" })).toBeVisible()
    },
  },
  {
    name: "recovery-codes",
    async show(page, given) {
      await given.user()
      await setUpTotp(page)
      await page.goto("/user/dashboard")
      await page.getByRole("button", { name: "Make new recovery codes" }).click()
      await page.getByRole("button", { name: "Make new codes" }).click()
      await expect(page.getByRole("list", { name: "Recovery codes" })).toBeVisible()
    },
  },
  {
    name: "second-step",
    async show(page, given) {
      const { email } = await given.user()
      await setUpTotp(page)
      await page.request.post("/api/users/logout", { data: {} })
      await heading(page, "/login", "Login")
      await page.getByLabel("Email").fill(email)
      await page.getByLabel("Password", { exact: true }).fill(password)
      await page.getByRole("button", { name: "Login" }).click()
      await expect(page.getByLabel("Code", { exact: true })).toBeVisible()
    },
  },
  { name: "lost-factor", show: (page) => heading(page, "/lost-factor#token", "Log in without your second factor") },
  {
    name: "cli-code",
    async show(page, given) {
      await given.user()
      await heading(page, "/cli/confirm", "Log in to the command line")
      await expect(page.getByLabel("Code", { exact: true })).toBeVisible()
    },
  },
  {
    name: "cli-confirm",
    async show(page, given) {
      await given.user()
      const { data } = await (await page.request.post("/api/cli/logins", { data: { machine: "ann-laptop" } })).json()
      await heading(page, `/cli/confirm#${data.userCode}`, "Log in to the command line")
      await page.getByRole("button", { name: "Continue" }).click()
      await expect(page.getByText("ann-laptop")).toBeVisible()
    },
  },
  {
    name: "delete-account",
    async show(page, given) {
      await given.user()
      await given.collection("billing")
      await page.goto("/user/dashboard")
      await page.getByRole("button", { name: "Delete account" }).click()
      await expect(page.getByRole("dialog").getByRole("link", { name: "billing" })).toBeVisible()
    },
  },
]
