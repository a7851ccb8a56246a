import { screen, waitFor, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../../test/open.tsx"

test("passkeys are listed with what they are, renamed and removed, also where none can be added", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { id } = await app.db.selectFrom("user").select("id").executeTakeFirstOrThrow()
  const passkey = { user_id: id, public_key: "", user_handle: "", counter: 0, transports: "", aaguid: "" }
  const times = { created_at: Date.parse("2026-03-01T12:00:00Z"), last_used_at: null }
  const [here, elsewhere] = [location.hostname, "keys.example.com"]
  await app.db
    .insertInto("passkey")
    .values([
      { ...passkey, ...times, name: "phone", credential_id: "a", host: here, is_multi_device: 1, is_backed_up: 1 },
      { ...passkey, ...times, name: "stick", credential_id: "b", host: elsewhere, is_multi_device: 0, is_backed_up: 0 },
    ])
    .execute()
  const { user, calls } = open("/user/dashboard", ann)
  const list = await screen.findByRole("list", { name: "Passkeys" })
  const [stick, phone] = within(list).getAllByRole("listitem")
  expect(phone?.textContent).toMatch(/^phoneSyncedAdded .*2026.*Never used/)
  expect(stick?.textContent).toMatch(/^stickOne device.*Works at keys\.example\.com only/)
  expect(phone?.textContent).not.toContain("Works at")
  expect(screen.queryByRole("button", { name: "Add a passkey" })).toBeNull()
  expect(screen.getByText("This browser does not support passkeys.")).toBeDefined()

  await user.click(within(list).getByRole("button", { name: "Rename the passkey phone" }))
  await user.clear(within(list).getByLabelText("Name"))
  await user.type(within(list).getByLabelText("Name"), "my phone{Enter}")
  await screen.findByText("Passkey renamed successfully")
  await user.click(await within(list).findByRole("button", { name: "Remove the passkey my phone" }))
  const dialog = await screen.findByRole("dialog", { name: "Remove this passkey?" })
  await user.click(within(dialog).getByRole("button", { name: "Remove" }))
  await screen.findByText("Passkey removed successfully")
  await waitFor(() => expect(within(list).getAllByRole("listitem")).toHaveLength(1))
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Passkeys" })))
  expect(calls).toContain("DELETE /api/users/me/passkeys/1")
})

test("the login page says why it cannot sign in with a passkey", async () => {
  const app = await testApp()
  const { user, calls } = open("/login", app.guest)
  await user.click(await screen.findByRole("button", { name: "Sign in with a passkey" }))
  await screen.findByText("This browser does not support passkeys")
  expect(calls).not.toContain("POST /api/users/login/passkey/begin")
})
