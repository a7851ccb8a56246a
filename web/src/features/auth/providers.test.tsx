import { password } from "@envkeep/testing/app.ts"
import { nextCodeOf, setUpTotp } from "@envkeep/testing/authenticator.ts"
import { clientId, clientSecret, settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { person } from "@envkeep/testing/person.ts"
import { screen, waitFor, within } from "@testing-library/react"
import { afterEach, expect, test } from "vitest"
import { dropInvitation, holdInvitation } from "../../lib/held-invitation.ts"
import { open, testApp } from "../../test/open.tsx"
import { passkeyRow } from "../../test/passkey-row.ts"

const meta = document.createElement("meta")
meta.name = "envkeep-sign-in-providers"
afterEach(() => {
  meta.remove()
  dropInvitation()
})

function withProviders(...labels: string[]): void {
  meta.content = JSON.stringify(
    labels.map((label) => ({ name: label.toLowerCase(), label, mayRegister: label !== "Closed" })),
  )
  document.head.append(meta)
}

test.each(["/login", "/register"])("%s offers the providers of the server", async (path) => {
  withProviders("Acme", "Google", "Closed")
  const app = await testApp()
  open(path, app.guest)
  expect((await screen.findByRole("link", { name: "Continue with Acme" })).getAttribute("href")).toBe(
    "/api/sign-in/acme",
  )
  expect(screen.getByRole("link", { name: "Continue with Google" })).toBeDefined()
  // It makes no accounts.
  expect(screen.queryByRole("link", { name: "Continue with Closed" }) === null).toBe(path === "/register")
})

test("without providers, the login says nothing about them, and an unknown problem is not shown", async () => {
  const app = await testApp()
  open("/login?problem=toString", app.guest)
  await screen.findByRole("heading", { name: "Login" })
  expect(screen.queryByText(/Continue with/)).toBeNull()
  expect(screen.queryByText("You are not logged in")).toBeNull()
})

test("a problem in the address is a sentence on the login page", async () => {
  withProviders("Acme")
  const app = await testApp()
  open("/login?problem=unverified", app.guest)
  expect(await screen.findByText(/The sign-in provider does not confirm your email address/)).toBeDefined()
})

test("a login that a provider has checked goes on with the second factor", async () => {
  withProviders("Acme")
  const app = await testApp()
  const { user } = open("/login?second-factor=totp-recoveryCode", app.guest)
  await user.type(await screen.findByLabelText("Code"), "123456{Enter}")
  // There is no such login in this browser.
  await screen.findByText("This login has expired. Please start again")
  expect(await screen.findByRole("link", { name: "Continue with Acme" })).toBeDefined()
})

test("after a provider and the second factor, a login leads to what made the user log in", async () => {
  withProviders("Acme")
  const app = await testApp()
  const ann = await app.user()
  const { secret } = await setUpTotp(ann)
  const { user, path } = open("/login?second-factor=totp&to=%2Fcli%2Fconfirm", person(app.app))
  // The same, if it has to start again: with the provider or with the password.
  await user.click(await screen.findByRole("button", { name: "Start again" }))
  expect((await screen.findByRole("link", { name: "Continue with Acme" })).getAttribute("href")).toBe(
    "/api/sign-in/acme?to=%2Fcli%2Fconfirm",
  )
  await user.type(screen.getByLabelText("Email"), ann.email)
  await user.type(screen.getByLabelText("Password"), `${password}{Enter}`)
  await user.type(await screen.findByLabelText("Code"), `${nextCodeOf(secret)}{Enter}`)
  await waitFor(() => expect(path()).toBe("/cli/confirm"))
})

test("an invitation that a provider cannot take along has to be opened again, and both pages say so", async () => {
  withProviders("Acme")
  holdInvitation("a-secret-of-an-invitation")
  const app = await testApp()
  const { user } = open("/login", app.guest)
  const hrefOf = async () => (await screen.findByRole("link", { name: "Continue with Acme" })).getAttribute("href")
  expect(await hrefOf()).toBe("/api/sign-in/acme?to=%2Finvitation")
  expect(screen.getByText(/If you log in with a provider, open the link again afterwards\.$/)).toBeDefined()
  await user.click(screen.getByRole("button", { name: "Continue without it" }))
  expect(await hrefOf()).toBe("/api/sign-in/acme")
})

test("an account without a password is asked to confirm with its providers, or with a passkey", async () => {
  withProviders("Acme", "Google")
  const [acme, google] = ["https://id.acme.example", "https://id.google.example"]
  const ofGoogle = { ISSUER: google, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, LABEL: "Google" }
  const env = Object.fromEntries(
    Object.entries(ofGoogle).map(([name, value]) => [`ENVKEEP_OIDC_GOOGLE_${name}`, value]),
  )
  const app = await testApp({ env: { ...settingsFor(acme), ...env, ENVKEEP_OIDC: "acme,google" } })
  const ann = await app.user()
  const { id } = (await ann.get<{ id: number }>("/users/me")).body.data
  const identity = { user_id: id, email: "ann@acme.example", created_at: Date.now(), last_used_at: null }
  await app.db
    .insertInto("identity")
    .values([acme, google].map((issuer) => ({ ...identity, issuer, subject: "1" })))
    .execute()
  await app.db.insertInto("passkey").values(passkeyRow(id, "phone")).execute()
  await app.db.updateTable("user").set({ password_hash: "" }).execute()
  await app.db.updateTable("session").set({ confirmed_at: 0 }).execute()
  const { user, fail } = open("/user/dashboard", ann)
  const failing = fail("GET /api/users/me/identities")
  await user.click(await screen.findByRole("button", { name: "New token" }))
  await user.type(await screen.findByLabelText("Name"), "laptop{Enter}")
  const dialog = within(await screen.findByRole("dialog", { name: "Confirm that it is you" }))
  expect(dialog.getByRole("button", { name: "Confirm with a passkey" })).toBeDefined()
  await dialog.findByText("Your connected accounts could not be loaded")

  failing.clear()
  await user.click(dialog.getByRole("button", { name: "Try again" }))
  await dialog.findByText("Or log in with Acme or Google again. You come back to this page and can try again.")
  for (const name of ["Continue with Acme", "Continue with Google"]) {
    expect(dialog.getByRole("button", { name })).toBeDefined()
  }
})

test("the profile lists connected accounts, says what came of a visit, and disconnects", async () => {
  withProviders("Acme")
  const app = await testApp()
  const ann = await app.user()
  const { id } = (await ann.get<{ id: number }>("/users/me")).body.data
  const row = { user_id: id, email: "ann@acme.example", created_at: Date.now(), last_used_at: null }
  await app.db
    .insertInto("identity")
    .values({ ...row, issuer: "https://id.acme.example", subject: "1" })
    .execute()
  const { user } = open("/user/dashboard?problem=connected-elsewhere", ann)
  expect(
    await screen.findByText("This account at the provider is connected to another user of this server"),
  ).toBeDefined()
  expect(await screen.findByText("ann@acme.example")).toBeDefined()
  expect(screen.getByRole("button", { name: "Connect Acme" })).toBeDefined()
  await user.click(screen.getByRole("button", { name: /^Disconnect/ }))
  await user.click(await screen.findByRole("button", { name: "Disconnect" }))
  await screen.findByText("No connected accounts")
  await waitFor(async () => expect(await app.db.selectFrom("identity").select("id").execute()).toEqual([]))
})

test("an account without a password is told how to get one", async () => {
  withProviders("Acme")
  const app = await testApp()
  const ann = await app.user()
  await app.db.updateTable("user").set({ password_hash: "" }).execute()
  open("/user/dashboard", ann)
  expect(await screen.findByText("Your account has no password.")).toBeDefined()
  expect(screen.getByText(/^You log in with a connected account/).textContent).toContain(
    "ask the administrator of this server for a reset link, which sets one",
  )
  expect(screen.queryByLabelText("Old password")).toBeNull()
})
