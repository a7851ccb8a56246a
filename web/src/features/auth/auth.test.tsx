import { password } from "@envkeep/testing/app.ts"
import { screen, waitFor } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../test/open.tsx"

test("a registration fills in the email on the login page, and the login leads to the dashboard", async () => {
  const app = await testApp()
  const { user, path } = open("/register", app.guest)
  await user.type(await screen.findByLabelText("Username"), "ann")
  await user.type(screen.getByLabelText("Email"), "ann@example.com")
  await user.type(screen.getByLabelText("Password"), password)
  await user.type(screen.getByLabelText("Confirm password"), `${password}{Enter}`)
  await screen.findByText("Registered successfully")
  await screen.findByRole("heading", { name: "Login" })

  expect(path()).toBe("/login")
  expect(screen.getByLabelText("Email")).toHaveProperty("value", "ann@example.com")
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Password")))
  await user.type(screen.getByLabelText("Password"), `${password}{Enter}`)
  await waitFor(() => expect(path()).toBe("/collection/dashboard"))
})

test("a session that ended elsewhere shows a message and the login page, and clears the cache", async () => {
  const app = await testApp()
  const ann = await app.user()
  await ann.collection("hers")
  const { user, path, client } = open("/collection/new", ann)
  await user.type(await screen.findByLabelText("Name"), "another")
  ann.cookie = ""
  await user.click(screen.getByRole("button", { name: "Create" }))
  await screen.findByText("Please log in first")
  await waitFor(() => expect(path()).toBe("/login"))
  expect(
    client
      .getQueryCache()
      .getAll()
      .map(({ state }) => state.data),
  ).toEqual([null])
})

test("an invalid field is marked and focused, and unmarked when it is edited", async () => {
  const app = await testApp()
  const { user, calls } = open("/register", app.guest)
  await user.type(await screen.findByLabelText("Username"), "ann")
  await user.type(screen.getByLabelText("Confirm password"), "something else{Enter}")
  // In the notification and under both fields.
  await waitFor(() => expect(screen.getAllByText("Please fill in all fields")).toHaveLength(3))
  const marked = () => ["Username", "Email", "Password", "Confirm password"].filter(isMarked)
  expect(marked()).toEqual(["Email", "Password"])
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Email")))

  await user.type(screen.getByLabelText("Email"), "ann@example.com")
  expect(marked()).toEqual(["Password"])
  await user.type(screen.getByLabelText("Password"), `${password}{Enter}`)
  await waitFor(() => expect(errorOf("Confirm password")).toBe("Passwords do not match"))
  expect(marked()).toEqual(["Confirm password"])
  expect(calls).not.toContain("POST /api/users/register")
})

test("what the server refuses about a field appears under it, and goes with the notification", async () => {
  const app = await testApp()
  const { email } = await app.user()
  const { user } = open("/register", app.guest)
  await user.type(await screen.findByLabelText("Username"), "ann")
  await user.type(screen.getByLabelText("Email"), email)
  await user.type(screen.getByLabelText("Password"), password)
  await user.type(screen.getByLabelText("Confirm password"), `${password}{Enter}`)
  await waitFor(() => expect(errorOf("Email")).toBe("This email is already registered"))
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Email")))
  expect(screen.getAllByText("This email is already registered")).toHaveLength(2)

  await user.type(screen.getByLabelText("Email"), ".org{Enter}")
  await screen.findByText("Registered successfully")
  await waitFor(() => expect(screen.queryByText("This email is already registered")).toBeNull())
})

test("Tab goes from a password to the next field", async () => {
  const app = await testApp()
  const { user } = open("/register", app.guest)
  await user.click(await screen.findByLabelText("Password"))
  await user.tab()
  expect(document.activeElement).toBe(screen.getByLabelText("Confirm password"))
})

/** The sentence under a field, as a screen reader finds it. */
function errorOf(label: string): string | undefined {
  const ids = screen.getByLabelText(label).getAttribute("aria-describedby")?.split(" ") ?? []
  const texts = ids.map((id) => document.getElementById(id))
  return texts.find((text) => text?.className.includes("error"))?.textContent
}

function isMarked(label: string): boolean {
  return screen.getByLabelText(label).getAttribute("aria-invalid") === "true"
}
