import { screen, waitFor } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../test/open.tsx"

test.each([
  ["/collection/dashboard", "/login"],
  ["/user/dashboard", "/login"],
  ["/admin/dashboard", "/"],
])("a guest at %s is sent to %s", async (from, to) => {
  const app = await testApp()
  const { path } = open(from, app.guest)
  await waitFor(() => expect(path()).toBe(to))
})

test.each([
  ["/login", "/collection/dashboard"],
  ["/register", "/collection/dashboard"],
  ["/user/none", "/user/dashboard"],
  ["/collection/none", "/collection/dashboard"],
  ["/admin/products", "/"],
])("a user at %s is sent to %s", async (from, to) => {
  const app = await testApp()
  const { path } = open(from, await app.user())
  await waitFor(() => expect(path()).toBe(to))
})

test("an admin at an unknown admin path is sent to the dashboard, and the Admin link is before the user's links", async () => {
  const app = await testApp()
  const { path } = open("/admin/none", await app.admin())
  await screen.findByRole("heading", { name: "Admin Dashboard" })
  expect(path()).toBe("/admin/dashboard")
  const links = screen.getAllByRole("link").map(({ textContent }) => textContent)
  expect(links).toEqual(expect.arrayContaining(["Home", "Admin", "Collections", "Profile", "Logout"]))
  expect(links.indexOf("Admin")).toBeLessThan(links.indexOf("Profile"))
})

test("any other path is a 404 page", async () => {
  const app = await testApp()
  open("/none", app.guest)
  await screen.findByRole("heading", { name: "404" })
})

test.each(["dashboard", "products", "users"])(
  "an admin who logs out at /admin/%s comes to the login page",
  async (at) => {
    const app = await testApp()
    const { path, user } = open(`/admin/${at}`, await app.admin())
    await user.click(await screen.findByRole("link", { name: "Logout" }))
    await screen.findByRole("heading", { name: "Login" })
    expect(path()).toBe("/login")
  },
)

test("logging out calls the server, clears the cache and shows the login page", async () => {
  const app = await testApp()
  const ann = await app.user()
  await ann.collection("hers")
  const { calls, client, path, user } = open("/collection/dashboard", ann)
  await screen.findByRole("heading", { name: "hers" })

  await user.click(screen.getByRole("link", { name: "Logout" }))

  await screen.findByText("Logged out successfully")
  await waitFor(() => expect(path()).toBe("/login"))
  expect(calls).toContain("POST /api/users/logout")
  expect(
    client
      .getQueryCache()
      .getAll()
      .map(({ queryKey, state }) => [queryKey, state.data]),
  ).toEqual([[["user"], null]])
})
