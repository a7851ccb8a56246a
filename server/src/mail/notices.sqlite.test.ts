import { testApp } from "@envkeep/testing/app.ts"
import { startMailServer } from "@envkeep/testing/mail-server.ts"
import { settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { providerBrowser, startRealProvider } from "@envkeep/testing/oidc/real-provider.ts"
import { beginConnecting, beginSignIn, go } from "@envkeep/testing/oidc/sign-in.ts"
import { person } from "@envkeep/testing/person.ts"
import { expect, onTestFinished, test } from "vitest"

test("an account that a first sign-in at a provider makes gets no notices of that, and all later ones", async () => {
  const provider = await startRealProvider({
    ann: { email: "ann@example.com", email_verified: true },
    bob: { email: "bob@elsewhere.example", email_verified: true },
  })
  onTestFinished(() => provider.close())
  const server = await startMailServer()
  onTestFinished(server.close)
  const app = await testApp({ env: { ...settingsFor(provider.issuer), SMTP_URL: server.url } })
  const arrived = async () => {
    await app.sendMail()
    return server.received.splice(0).map(({ to, subject }) => [to, subject])
  }
  const signIn = async (browser = person(app.app)) =>
    go(browser, await providerBrowser().visit(await beginSignIn(browser), "ann"))

  const browser = person(app.app)
  expect(await signIn(browser)).toBe("/collection/dashboard")
  expect(await arrived()).toEqual([])
  expect((await browser.get("/users/me")).body.data).toMatchObject({ email: "ann@example.com" })

  await signIn(browser)
  expect(await arrived()).toEqual([])
  await signIn()
  expect(await arrived()).toEqual([["ann@example.com", "New sign-in to your Envkeep account"]])

  const bob = await app.user("bob@example.com")
  await go(bob, await providerBrowser().visit(await beginConnecting(bob), "bob"))
  expect(await arrived()).toEqual([["bob@example.com", "Your Envkeep sign-in was changed"]])
})
