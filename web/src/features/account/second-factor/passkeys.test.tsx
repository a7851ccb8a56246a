import { screen, waitFor, within } from "@testing-library/react"
import { expect, test } from "vitest"
import { open, testApp } from "../../../test/open.tsx"
import { passkeyRow } from "../../../test/passkey-row.ts"

test("passkeys are listed with what they are, renamed and removed, also where none can be added", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { id } = await app.db.selectFrom("user").select("id").executeTakeFirstOrThrow()
  await app.db
    .insertInto("passkey")
    .values([
      { ...passkeyRow(id, "phone"), is_multi_device: 1, is_backed_up: 1 },
      { ...passkeyRow(id, "stick"), host: "keys.example.com" },
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
  const question = () => screen.findByRole("dialog", { name: "Remove this passkey?" })
  expect((await question()).textContent).not.toContain("Your password alone")
  await user.click(within(await question()).getByRole("button", { name: "Remove" }))
  await screen.findByText("Passkey removed successfully")
  await waitFor(() => expect(within(list).getAllByRole("listitem")).toHaveLength(1))
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("heading", { name: "Passkeys" })))
  expect(calls).toContain("DELETE /api/users/me/passkeys/1")

  await user.click(within(list).getByRole("button", { name: "Remove the passkey stick" }))
  expect((await question()).textContent).toContain(
    "Your password alone will open your account, and your recovery codes stop working.",
  )
})

test("the login page says why it cannot sign in with a passkey", async () => {
  const app = await testApp()
  const { user, calls } = open("/login", app.guest)
  await user.click(await screen.findByRole("button", { name: "Sign in with a passkey" }))
  await screen.findByText("This browser does not support passkeys")
  expect(calls).not.toContain("POST /api/users/login/passkey/begin")
})
