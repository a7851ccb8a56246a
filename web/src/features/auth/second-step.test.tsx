import { password } from "@envkeep/testing/app.ts"
import { codeOf, nextCodeOf, setUpTotp } from "@envkeep/testing/authenticator.ts"
import { person } from "@envkeep/testing/person.ts"
import { screen, waitFor, within } from "@testing-library/react"
import type { UserEvent } from "@testing-library/user-event"
import { expect, onTestFinished, test } from "vitest"
import { recheckUser } from "../../lib/state.ts"
import { open, testApp } from "../../test/open.tsx"
import { passkeyRow } from "../../test/passkey-row.ts"

async function enterPassword(user: UserEvent, email: string): Promise<void> {
  await user.type(await screen.findByLabelText("Email"), email)
  await user.type(screen.getByLabelText("Password"), `${password}{Enter}`)
}

/** On the login page that has kept the email. */
async function enterPasswordAgain(user: UserEvent, email: string): Promise<void> {
  expect(await screen.findByLabelText("Email")).toHaveProperty("value", email)
  await user.type(screen.getByLabelText("Password"), `${password}{Enter}`)
}

test("after the password, a login asks for the code, takes a recovery code instead, and can start again", async () => {
  const app = await testApp()
  const ann = await app.user()
  const totp = await setUpTotp(ann)
  const { user, path } = open("/login", person(app.app))
  await enterPassword(user, ann.email)
  const code = await screen.findByLabelText("Code")
  await waitFor(() => expect(document.activeElement).toBe(code))
  expect([code.getAttribute("autocomplete"), code.getAttribute("inputmode")]).toEqual(["one-time-code", "numeric"])
  // It is the next step, and no error.
  expect(screen.queryByText("Please confirm the login with your second factor")).toBeNull()
  await user.type(code, "12345{Enter}")
  await waitFor(() => expect(screen.getAllByText("A code has 6 digits")).toHaveLength(2))
  await user.clear(code)
  await user.type(code, `${codeOf(totp.secret, 0)}{Enter}`)
  expect(await screen.findAllByText(/^This code is not valid/)).not.toEqual([])

  await user.click(screen.getByRole("button", { name: "Start again" }))
  await enterPasswordAgain(user, ann.email)
  await user.click(await screen.findByRole("button", { name: "Use a recovery code" }))
  await user.type(screen.getByLabelText("Recovery code"), `${totp.recoveryCodes[3]?.toLowerCase()}{Enter}`)
  await waitFor(() => expect(path()).toBe("/collection/dashboard"))
})

test("a login that waited too long begins again, and the code finishes it", async () => {
  const app = await testApp()
  const ann = await app.user()
  const totp = await setUpTotp(ann)
  const { user, path } = open("/login", person(app.app))
  await enterPassword(user, ann.email)
  await screen.findByLabelText("Code")
  await app.db.updateTable("pending_sign_in").set({ expires_at: 0 }).execute()
  await user.type(screen.getByLabelText("Code"), `${nextCodeOf(totp.secret)}{Enter}`)
  await screen.findByText("This login has expired. Please start again")
  await enterPasswordAgain(user, ann.email)
  await user.type(await screen.findByLabelText("Code"), `${nextCodeOf(totp.secret)}{Enter}`)
  await waitFor(() => expect(path()).toBe("/collection/dashboard"))
})

test("a login that waited too long for a passkey begins again", async () => {
  // Otherwise the page says that this browser does not support passkeys.
  Object.defineProperty(globalThis, "PublicKeyCredential", { value: class {}, configurable: true })
  onTestFinished(() => void Reflect.deleteProperty(globalThis, "PublicKeyCredential"))
  const app = await testApp()
  const ann = await app.user()
  const { id } = (await ann.get<{ id: number }>("/users/me")).body.data
  await app.db.insertInto("passkey").values(passkeyRow(id, "phone")).execute()
  const { user } = open("/login", person(app.app))
  await enterPassword(user, ann.email)
  const button = await screen.findByRole("button", { name: "Continue with a passkey" })
  await app.db.updateTable("pending_sign_in").set({ expires_at: 0 }).execute()
  await user.click(button)
  await screen.findByText("This login has expired. Please start again")
  await enterPasswordAgain(user, ann.email)
  expect(await screen.findByRole("button", { name: "Continue with a passkey" })).toBeDefined()
})

test("where the account's passkeys do not work, a login asks for a recovery code, and without one says what helps", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { id } = (await ann.get<{ id: number }>("/users/me")).body.data
  const elsewhere = { ...passkeyRow(id, "phone"), host: "keys.example.com" }
  await app.db.insertInto("passkey").values(elsewhere).execute()
  await ann.post("/users/me/recovery-codes")
  const { user } = open("/login", person(app.app))
  await enterPassword(user, ann.email)
  const code = await screen.findByLabelText("Recovery code")
  await waitFor(() => expect(document.activeElement).toBe(code))
  expect(screen.queryByRole("button", { name: "Use a passkey" })).toBeNull()

  await app.db.deleteFrom("recovery_code").where("user_id", "=", id).execute()
  await user.click(screen.getByRole("button", { name: "Start again" }))
  await enterPasswordAgain(user, ann.email)
  await screen.findByText("Your passkeys work at another address only, and you have no recovery codes.")
  const helps = screen.getByText(/^Ask the/)
  expect(helps.textContent).toBe("Ask the administrator of this server for a link to log in without them.")
  expect(screen.queryByRole("textbox")).toBeNull()
  const again = screen.getByRole("button", { name: "Start again" })
  await waitFor(() => expect(document.activeElement).toBe(again))
})

test("an administrator's link lets its holder log in with the password, and removes the factors", async () => {
  const app = await testApp()
  const [admin, ann] = [await app.admin(), await app.user()]
  await setUpTotp(ann)
  const { id } = (await ann.get<{ id: number }>("/users/me")).body.data
  const { token } = (await admin.post<{ token: string }>(`/admin/users/${id}/factor-link`)).body.data
  const { user, path } = open(`/lost-factor#${token}`, person(app.app))
  await enterPassword(user, ann.email)
  await screen.findByText("Logged in successfully. Your second factors were removed")
  await waitFor(() => expect(path()).toBe("/collection/dashboard"))
  expect(await app.db.selectFrom("totp").select("id").execute()).toEqual([])
})

test("something sensitive asks for the password a while after the login, and then does what was asked", async () => {
  const app = await testApp()
  const ann = await app.user()
  await app.db.updateTable("session").set({ confirmed_at: 0 }).execute()
  const { user, calls } = open("/user/dashboard", ann)
  await user.click(await screen.findByRole("button", { name: "New token" }))
  const form = await screen.findByRole("dialog", { name: "New token" })
  await user.type(within(form).getByLabelText("Name"), "laptop")
  const question = () => screen.findByRole("dialog", { name: "Confirm that it is you" })

  // Not now: nothing is done, no error is shown, and what was typed stays.
  await user.click(within(form).getByRole("button", { name: "Create token" }))
  await question()
  await user.keyboard("{Escape}")
  await waitFor(() => expect(screen.queryByRole("dialog", { name: "Confirm that it is you" })).toBeNull())
  expect(screen.queryByText("Please confirm that it is you")).toBeNull()
  expect(within(form).getByLabelText("Name")).toHaveProperty("value", "laptop")

  await user.click(within(form).getByRole("button", { name: "Create token" }))
  const asked = await question()
  const field = within(asked).getByLabelText("Your password")
  await user.type(field, "a wrong password{Enter}")
  expect(await within(asked).findByText("Password is incorrect")).toBeDefined()
  await user.clear(field)
  await user.type(field, `${password}{Enter}`)
  await screen.findByRole("dialog", { name: "Your new token" })
  expect(calls.filter((call) => call === "POST /api/users/me/tokens")).toHaveLength(3)
  expect(screen.queryByText("Confirmed")).toBeNull()
})

test("the question to confirm goes with the session, when that ends in another tab", async () => {
  const app = await testApp()
  const ann = await app.user()
  await app.db.updateTable("session").set({ confirmed_at: 0 }).execute()
  const { user, client } = open("/user/dashboard", ann)
  await user.click(await screen.findByRole("button", { name: "New token" }))
  await user.type(await screen.findByLabelText("Name"), "laptop{Enter}")
  await screen.findByRole("dialog", { name: "Confirm that it is you" })
  await ann.post("/users/logout")
  await recheckUser(client)
  await screen.findByRole("heading", { name: "Login" })
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull())
})
