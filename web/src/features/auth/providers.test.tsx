import { settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { screen, waitFor } from "@testing-library/react"
import { afterEach, expect, test } from "vitest"
import { open, testApp } from "../../test/open.tsx"

const meta = document.createElement("meta")
meta.name = "envkeep-sign-in-providers"
afterEach(() => meta.remove())

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

test("an account without a password is asked to confirm with its provider", async () => {
  withProviders("Acme")
  const app = await testApp({ env: settingsFor("https://id.acme.example") })
  const ann = await app.user()
  const { id } = (await ann.get<{ id: number }>("/users/me")).body.data
  await app.db
    .insertInto("identity")
    .values({
      user_id: id,
      issuer: "https://id.acme.example",
      subject: "1",
      email: "ann@acme.example",
      created_at: Date.now(),
      last_used_at: null,
    })
    .execute()
  await app.db.updateTable("user").set({ password_hash: "" }).execute()
  await app.db.updateTable("session").set({ confirmed_at: 0 }).execute()
  const { user } = open("/user/dashboard", ann)
  await user.click(await screen.findByRole("button", { name: "Disconnect Acme ann@acme.example" }))
  expect(screen.queryByRole("button", { name: "Connect Acme" })).toBeNull()
  await user.click(await screen.findByRole("button", { name: "Disconnect" }))
  expect(await screen.findByText("Log in with Acme again. You come back to this page and can try again.")).toBeDefined()
  expect(screen.getByRole("button", { name: "Continue with Acme" })).toBeDefined()
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
  expect(screen.queryByLabelText("Old password")).toBeNull()
})
