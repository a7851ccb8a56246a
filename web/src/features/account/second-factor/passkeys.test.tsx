import { codeOf } from "@envkeep/testing/authenticator.ts"
import { screen, waitFor, within } from "@testing-library/react"
import type { UserEvent } from "@testing-library/user-event"
import { expect, test } from "vitest"
import { keys } from "../../../lib/state.ts"
import { open, testApp } from "../../../test/open.tsx"
import { withPasskeyDevices } from "../../../test/passkey-device.ts"
import { passkeyRow } from "../../../test/passkey-row.ts"

/** In the dialog that the button opens. Returns what it says. */
async function addPasskey(user: UserEvent, button: string): Promise<string> {
  await user.click(await screen.findByRole("button", { name: button }))
  const dialog = await screen.findByRole("dialog", { name: "Add a passkey" })
  const said = dialog.textContent
  await user.click(within(dialog).getByRole("button", { name: "Continue" }))
  await screen.findByText("Passkey added successfully")
  return said
}

const shownCodes = () =>
  within(screen.getByRole("list", { name: "Recovery codes" }))
    .getAllByRole("listitem")
    .map(({ textContent }) => textContent)

const save = (user: UserEvent) => user.click(screen.getByRole("button", { name: "I have saved them" }))

const passwordNote = "From then on, your password alone no longer opens your account."

test("the first passkey is announced as a second factor and gives recovery codes once; new ones can be made", async () => {
  withPasskeyDevices()
  const app = await testApp()
  const { user } = open("/user/dashboard", await app.user())
  // What is known of the account by now.
  await screen.findByRole("button", { name: "Set up an authenticator app" })
  await screen.findByText("No passkeys")
  expect(await addPasskey(user, "Add a passkey")).toContain(passwordNote)
  const first = shownCodes()
  expect(first).toHaveLength(10)
  await save(user)
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull())
  const row = await screen.findByRole("listitem", { name: "Recovery codes" })
  expect(within(row).getByText(/^10 codes are left/)).toBeDefined()

  await user.click(within(row).getByRole("button", { name: "Make new recovery codes" }))
  await user.click(await screen.findByRole("button", { name: "Make new codes" }))
  await screen.findByRole("dialog", { name: "Your new recovery codes" })
  expect(shownCodes()).not.toEqual(first)
  await save(user)
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull())

  expect(await addPasskey(user, "Add a passkey")).not.toContain(passwordNote)
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull())
  expect(within(screen.getByRole("list", { name: "Passkeys" })).getAllByRole("listitem")).toHaveLength(2)

  await user.click(screen.getByRole("button", { name: "Set up an authenticator app" }))
  await screen.findByRole("img", { name: "QR code for your authenticator app" })
  const secret = document.querySelector(".totp-setup code")?.textContent ?? ""
  await user.type(screen.getByLabelText("Code"), `${codeOf(secret.replaceAll(/\s/g, ""))}{Enter}`)
  expect(await screen.findByText(/The codes that you had before no longer work\.$/)).toBeDefined()
})

test("where a second factor is required, a passkey shows its recovery codes before the page goes on", async () => {
  withPasskeyDevices()
  const app = await testApp({ env: { ENVKEEP_REQUIRE_SECOND_FACTOR: "all" } })
  const { user, path, client } = open("/collection/new", await app.user())
  await addPasskey(user, "Add a passkey instead")
  // By now the page knows that nothing is missing any more.
  await waitFor(() => expect(client.getQueryData(keys.user)).not.toHaveProperty("needsSecondFactor"))
  expect(shownCodes()).toHaveLength(10)
  expect(path()).toBe("/user/second-factor")
  await save(user)
  await waitFor(() => expect(path()).toBe("/collection/new"))
})

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
  await user.click(await screen.findByRole("button", { name: "Log in with a passkey" }))
  await screen.findByText("This browser does not support passkeys")
  expect(calls).not.toContain("POST /api/users/login/passkey/begin")
})
