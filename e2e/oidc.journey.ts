import { freePort } from "@envkeep/testing/machine/free-port.ts"
import { settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { startRealProvider } from "@envkeep/testing/oidc/real-provider.ts"
import { violations } from "./axe.ts"
import { type Server, startServer } from "./server.ts"
import { expect, expectNotification, long, password, test } from "./test.ts"

let server: Server
let provider: Awaited<ReturnType<typeof startRealProvider>>

test.beforeEach(async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const people = {
    ann: { email: "ann@acme.example", email_verified: true, name: "Ann Acme" },
    bob: { email: "bob@acme.example", email_verified: true, name: "Bob Acme" },
    mel: { email: "mel@acme.example", email_verified: false },
  }
  provider = await startRealProvider(people, { origin: url })
  server = await startServer({ ...settingsFor(provider.issuer), PUBLIC_URL: url, PORT: String(port) })
})
test.afterEach(async () => {
  provider.close()
  await server.dispose()
})

test("a person logs in with a provider, gets an account, and logs in again without the provider's form", async ({
  browser,
}) => {
  test.slow()
  const page = await browser.newPage({ baseURL: server.url })
  await page.goto("/login")
  await expect(page.getByRole("link", { name: "Continue with Acme" })).toBeVisible()
  expect(await violations(page, "light")).toEqual([])
  await page.getByRole("link", { name: "Continue with Acme" }).click()
  await page.getByLabel("Account").fill("ann")
  await page.getByRole("button", { name: "Sign in" }).click()
  await expect(page).toHaveURL(`${server.url}/collection/dashboard`)

  await page.goto("/user/dashboard")
  await expect(page.getByRole("list", { name: "Connected accounts" })).toContainText("ann@acme.example")
  await expect(page.getByText("Your account has no password.")).toBeVisible()
  for (const scheme of ["light", "dark"] as const) expect(await violations(page, scheme)).toEqual([])
  await page.getByRole("button", { name: "Disconnect Acme" }).click()
  await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click()
  await expect(page.getByText(/This is the only way to sign in to your account/)).toBeVisible()

  await page.request.post("/api/users/logout")
  await page.goto("/login")
  await page.getByRole("link", { name: "Continue with Acme" }).click()
  await expect(page).toHaveURL(`${server.url}/collection/dashboard`)

  // A page of another site cannot do the same without a click.
  await page.request.post("/api/users/logout")
  await page.goto(`${provider.issuer}/.well-known/openid-configuration`)
  await page.evaluate(`location.assign("${server.url}/api/sign-in/acme")`)
  await expect(page).toHaveURL(`${server.url}/login`)
  await page.close()
})

test(
  "an account with the same email is connected after logging in to it, and what goes wrong is said",
  long,
  async ({ browser }) => {
    test.slow()
    const page = await browser.newPage({ baseURL: server.url })
    const email = "bob@acme.example"
    await page.request.post("/api/users/register", { data: { username: "bob", email, password, password2: password } })

    const signInAs = async (account: string) => {
      await page.goto("/register")
      await page.getByRole("link", { name: "Continue with Acme" }).click()
      await page.getByLabel("Account").fill(account)
      await page.getByRole("button", { name: "Sign in" }).click()
    }
    await page.goto("/login")
    await page.getByRole("link", { name: "Continue with Acme" }).click()
    await page.getByRole("button", { name: "Cancel" }).click()
    await expect(page.getByText("You cancelled the sign-in at the provider.")).toBeVisible()
    expect(await violations(page, "light")).toEqual([])
    await signInAs("mel")
    await expect(page.getByText(/does not confirm your email address/)).toBeVisible()
    // The provider remembers who signed in there.
    await page.context().clearCookies({ domain: "localhost" })
    await signInAs("bob")
    await expect(page.getByText(/There is already an account with your email address/)).toBeVisible()

    await page.getByLabel("Email").fill(email)
    await page.getByLabel("Password", { exact: true }).fill(password)
    await page.getByRole("button", { name: "Login", exact: true }).click()
    await expect(page).toHaveURL(`${server.url}/collection/dashboard`)
    await page.goto("/user/dashboard")
    await page.getByRole("button", { name: "Connect Acme" }).click()
    await expectNotification(page, "You can now log in with Acme")
    await expect(page).toHaveURL(`${server.url}/user/dashboard`)
    await page.request.post("/api/users/logout")
    await page.goto("/login")
    await page.getByRole("link", { name: "Continue with Acme" }).click()
    await expect(page).toHaveURL(`${server.url}/collection/dashboard`)

    await page.goto("/user/dashboard")
    await page.getByRole("button", { name: "Disconnect Acme" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Disconnect" }).click()
    await expectNotification(page, "Account disconnected successfully")
    await expect(page.getByText("No connected accounts")).toBeVisible()
    await page.close()
  },
)
