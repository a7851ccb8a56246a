import { expect } from "../test.ts"
import { heading, type Screen } from "./screen.ts"

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
    name: "cli-code",
    async show(page, given) {
      await given.user()
      await heading(page, "/cli/confirm", "Log in to the command line")
      await expect(page.getByLabel("Code")).toBeVisible()
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
