import { password } from "@envkeep/testing/app.ts"
import { screen, waitFor, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../test/open.tsx"

test.each([
  ["100", 12_345_678, "12.3 MB of 100 MB used"],
  ["100", 512, "Less than 0.1 MB of 100 MB used"],
  ["100", 120_000_000, "120 MB of 100 MB used"],
  ["0", 0, "0 MB used"],
])("with a quota of %s MB, the profile says how much is stored: %i bytes", async (quota, storedBytes, text) => {
  const app = await testApp({ env: { ENVKEEP_QUOTA_MB: quota } })
  const ann = await app.user()
  await app.db.updateTable("user").set({ stored_bytes: storedBytes }).execute()
  open("/user/dashboard", ann)
  expect(await screen.findByText(text)).toBeDefined()
})

test("password managers learn that the account is known by its email", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { user } = open("/user/dashboard", ann)
  expect((await screen.findByLabelText("Username")).getAttribute("autocomplete")).toBe("nickname")
  expect(screen.getByLabelText("Email").getAttribute("autocomplete")).toBe("username")
  await user.click(screen.getByRole("button", { name: "Delete account" }))
  for (const label of ["Old password", "Password"]) {
    const form = (await screen.findByLabelText(label)).closest("form")
    expect(form?.querySelector("[autocomplete=username]")).toMatchObject({ type: "email", value: ann.email })
  }
})

test("the sessions that a new password ends leave the list", async () => {
  const app = await testApp()
  const ann = await app.user()
  await app.guest.post("/users/login", { email: ann.email, password })
  const { user } = open("/user/dashboard", ann)
  const sessions = within(await screen.findByRole("list", { name: "Sessions" }))
  expect(sessions.getAllByRole("listitem")).toHaveLength(2)
  await user.type(screen.getByLabelText("Old password"), password)
  await user.type(screen.getByLabelText("New password"), `another ${password}`)
  await user.type(screen.getByLabelText("Confirm password"), `another ${password}{Enter}`)
  await screen.findByText("Password updated successfully")
  await waitFor(() => expect(sessions.getAllByRole("listitem")).toHaveLength(1))
})
