import { password, testApp } from "@envkeep/testing/app.ts"
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

  // It has no password that could be changed.
  await signIn()
  await app.sendMail()
  const [{ text = "" } = {}] = server.received.splice(0)
  expect(text).toContain("end that session on your profile page now")
  expect(text).not.toContain("password")

  const bob = await app.user("bob@example.com")
  await go(bob, await providerBrowser().visit(await beginConnecting(bob), "bob"))
  expect(await arrived()).toEqual([["bob@example.com", "Your Envkeep sign-in was changed"]])
})

test("people are told of a new token, and of an approved login of a machine once, and how to revoke it", async () => {
  const server = await startMailServer()
  onTestFinished(server.close)
  const app = await testApp({ env: { SMTP_URL: server.url, PUBLIC_URL: "https://env.example.com" } })
  const arrived = async () => {
    await app.sendMail()
    return server.received.splice(0)
  }
  const ann = await app.user("ann@example.com")
  const tell = async (subject: string, what: string) => {
    const mails = await arrived()
    expect(mails).toMatchObject([{ to: ann.email, subject }])
    for (const part of [mails[0]?.text, mails[0]?.html]) {
      expect(part).toContain(`${what} at env.example.com, on `)
      expect(part).toContain("from the network 127.0.0.0/24")
      expect(part).toContain("revoke it on your profile page first")
      expect(part).toContain("https://env.example.com/user/dashboard")
    }
    return mails[0]?.text
  }
  await ann.post("/users/me/tokens", { name: "deploy.example.com", scope: "read" })
  const made = await tell("A new token for your Envkeep account", "A personal token was made for your account")
  // Not as a link.
  expect(made).toContain("The token's name is deploy.\u2060example.\u2060com.")

  const { deviceCode, userCode } = (
    await app.guest.post<{ deviceCode: string; userCode: string }>("/cli/logins", { machine: "laptop" })
  ).body.data
  await ann.post("/cli/logins/approve", { userCode, scope: "write" })
  const approved = "A login of the envkeep command was approved"
  expect(await tell(approved, `${approved}, which gives it a token for your account`)).toContain(
    "The token's name is envkeep CLI on laptop.",
  )
  await app.guest.post("/cli/logins/poll", { deviceCode })
  expect((await ann.get<object[]>("/users/me/tokens")).body.data).toHaveLength(2)
  expect(await arrived()).toEqual([])

  // Many of them keep back no other notice.
  for (const name of ["1", "2", "3", "4", "5", "6"]) await ann.post("/users/me/tokens", { name, scope: "read" })
  const next = "another good password"
  await ann.put("/users/password", { oldPassword: password, password: next, password2: next })
  expect((await arrived()).map(({ subject }) => subject)).toEqual([
    ...Array(3).fill("A new token for your Envkeep account"),
    "Your Envkeep password was changed",
  ])
})

test("requests to take collections over keep back no notice of a changed password, and one is told once", async () => {
  const server = await startMailServer()
  onTestFinished(server.close)
  const app = await testApp({ env: { SMTP_URL: server.url, PUBLIC_URL: "https://env.example.com" } })
  const arrived = async () => {
    await app.sendMail()
    return server.received.splice(0)
  }
  const [mallory, bob] = [await app.user(), await app.user("bob@example.com")]
  const { id: userId } = (await bob.get<{ id: number }>("/users/me")).body.data
  const { id } = await mallory.collection("billing")
  await mallory.post(`/collections/${id}/members`, { who: bob.email, role: "viewer" })
  const ask = () => mallory.post(`/collections/${id}/transfer`, { userId })

  for (let again = 0; again < 3; again++) expect(await ask()).toMatchObject({ status: 200 })
  const mails = await arrived()
  expect(mails).toMatchObject([{ to: bob.email, subject: "You are asked to take over an Envkeep collection" }])
  for (const part of [mails[0]?.text, mails[0]?.html]) {
    expect(part).toContain("An owner asks you to take over a collection at env.example.com.")
    expect(part).toContain("https://env.example.com/collection/dashboard")
  }

  for (let again = 0; again < 7; again++) {
    await mallory.delete(`/collections/${id}/transfer`)
    await ask()
  }
  await arrived()
  await bob.put("/users/password", {
    oldPassword: password,
    password: "another password",
    password2: "another password",
  })
  expect(await arrived()).toMatchObject([{ to: bob.email, subject: "Your Envkeep password was changed" }])
})
