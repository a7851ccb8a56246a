import { expect } from "../test.ts"
import { heading, type Screen } from "./screen.ts"

export const publicScreens: Screen[] = [
  { name: "landing", show: (page) => heading(page, "/", "Environment variables, kept.") },
  { name: "login", show: (page) => heading(page, "/login", "Login") },
  { name: "register", show: (page) => heading(page, "/register", "Register") },
  {
    name: "login-refused",
    async show(page) {
      await heading(page, "/login", "Login")
      await page.getByRole("button", { name: "Login" }).click()
      await expect(page.getByRole("alert").getByText("Please fill in all fields")).toBeVisible()
    },
  },
  {
    name: "reset",
    async show(page) {
      const usable = { error: false, msg: "OK", data: null }
      await page.route("**/api/users/password/reset-link", (route) => route.fulfill({ json: usable }))
      await heading(page, "/reset#token", "Reset password")
      await expect(page.getByLabel("New password")).toBeVisible()
    },
  },
  {
    name: "reset-refused",
    async show(page) {
      await heading(page, "/reset", "Reset password")
      await expect(page.getByRole("main").getByText("This link is not valid")).toBeVisible()
    },
  },
  { name: "not-found", show: (page) => heading(page, "/nowhere", "404") },
  {
    name: "error",
    async show(page) {
      await page.route("**/assets/LoginScreen-*.js", (route) => route.abort())
      await heading(page, "/login", "This screen could not be loaded")
    },
  },
]
