import type { ActivityPage, identities, OutputOf, User } from "@envkeep/contract"
import { password, testApp } from "@envkeep/testing/app.ts"
import { settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { providerBrowser, startRealProvider } from "@envkeep/testing/oidc/real-provider.ts"
import { beginConnecting, beginSignIn, go } from "@envkeep/testing/oidc/sign-in.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { afterAll, expect, test } from "vitest"
import { theServer } from "../../access/caller.ts"
import { createReset } from "../users/resets/rules.ts"

// With a real provider of OpenID Connect.

const known = (email: string, more: object = {}) => ({ email, email_verified: true, name: "Ann Example", ...more })

const provider = await startRealProvider({})
afterAll(() => provider.close())

/** A browser signs in with an account at the provider. Returns the page that it is sent to. */
async function signIn(browser: Person, account: string, query?: string): Promise<string> {
  return go(browser, await providerBrowser().visit(await beginSignIn(browser, query), account))
}

async function meOf(browser: Person): Promise<User | null> {
  return (await browser.get<User | null>("/users/me")).body.data
}

async function firstIdentityOf(browser: Person): Promise<number> {
  return (await identitiesOf(browser)).identities[0]?.id ?? 0
}

async function identitiesOf(browser: Person) {
  return (await browser.get<OutputOf<typeof identities.list>>("/users/me/identities")).body.data
}

test("a person who signs in at the provider gets an account, and finds it again from another browser and node", async () => {
  provider.people["ann"] = known("Ann@Example.com")
  const app = await testApp({ env: settingsFor(provider.issuer) })
  const node = await testApp({ env: settingsFor(provider.issuer), location: app.location })
  expect((await app.guest.get("/users/sign-in-providers")).body.data).toEqual([
    { name: "acme", label: "Acme", mayRegister: true },
  ])
  const ann = person(app.app)
  expect(await signIn(ann, "ann", "?to=/collection/new%3Fa=1")).toBe("/collection/new?a=1")
  const me = await meOf(ann)
  expect(me).toMatchObject({ username: "Ann Example", email: "Ann@Example.com", isAdmin: false })
  const { hasPassword, identities } = await identitiesOf(ann)
  expect([hasPassword, identities]).toMatchObject([
    false,
    [{ provider: "acme", label: "Acme", email: "Ann@Example.com" }],
  ])

  // The provider knows her by another name and address by now. Her account does not depend on either.
  provider.people["ann"] = known("ann.new@example.com", { name: "Ann New", email_verified: false })
  const other = person(app.app)
  const address = await providerBrowser().visit(await beginSignIn(other), "ann")
  const onOtherNode = person(node.app)
  onOtherNode.cookie = other.cookie
  expect(await go(onOtherNode, address)).toBe("/collection/dashboard")
  expect(await meOf(onOtherNode)).toEqual(me)

  const { events } = (await ann.get<ActivityPage>("/users/me/activity")).body.data
  expect(events.map(({ action }) => action).toReversed()).toEqual([
    "account.create",
    "identity.connect",
    "session.begin",
    "session.begin",
  ])
  await ann.post("/users/logout")
  expect(await meOf(ann)).toBeNull()
})

testOnce("an account without a password is refused like a wrong one, until a reset link sets one", async () => {
  provider.people["bob"] = known("bob@example.com")
  const app = await testApp({ env: settingsFor(provider.issuer) })
  const bob = person(app.app)
  await signIn(bob, "bob")
  const { id } = (await meOf(bob)) as User
  for (const tried of ["", password]) {
    const guest = person(app.app)
    const answer = await guest.post("/users/login", { email: "bob@example.com", password: tried || " " })
    expect([answer.status, answer.body.msg]).toEqual([401, "Invalid credentials"])
  }
  const change = { oldPassword: " ", password, password2: password }
  expect((await bob.put("/users/password", change)).body.msg).toBe("Old password is incorrect")
  const identityId = await firstIdentityOf(bob)
  const refused = await bob.delete(`/users/me/identities/${identityId}`)
  expect([refused.status, refused.body.msg]).toEqual([
    409,
    "This is the only way to sign in to your account. Add another way or set a password with a reset link first, then disconnect it",
  ])

  const { token } = await createReset(app.core, theServer, id)
  await bob.post("/users/password/reset", { token, password, password2: password })
  expect((await bob.post("/users/login", { email: "bob@example.com", password })).status).toBe(200)
  expect((await identitiesOf(bob)).hasPassword).toBe(true)
  expect((await bob.delete(`/users/me/identities/${identityId}`)).status).toBe(200)
  expect(await signIn(person(app.app), "bob")).toBe("/login?problem=taken")
})

testOnce("an account with the same e-mail is not taken over; its owner connects it, and only once", async () => {
  const app = await testApp({ env: settingsFor(provider.issuer) })
  const [carol, dan] = [await app.user(), await app.user()]
  provider.people["carol"] = known(carol.email.toUpperCase())
  const stranger = person(app.app)
  expect(await signIn(stranger, "carol")).toBe("/login?problem=taken")
  expect(await meOf(stranger)).toBeNull()

  expect(await go(carol, await providerBrowser().visit(await beginConnecting(carol), "carol"))).toBe(
    "/user/dashboard?connected=acme",
  )
  expect(await signIn(stranger, "carol")).toBe("/collection/dashboard")
  expect(await meOf(stranger)).toEqual(await meOf(carol))
  expect(await go(dan, await providerBrowser().visit(await beginConnecting(dan), "carol"))).toBe(
    "/user/dashboard?problem=connected-elsewhere",
  )
  expect((await identitiesOf(dan)).identities).toEqual([])

  const id = await firstIdentityOf(carol)
  const notHis = await dan.delete(`/users/me/identities/${id}`)
  expect([notHis.status, notHis.body.msg]).toEqual([404, "Connected account not found"])
  await carol.delete(`/users/me/identities/${id}`)
  expect(await signIn(person(app.app), "carol")).toBe("/login?problem=taken")
})
