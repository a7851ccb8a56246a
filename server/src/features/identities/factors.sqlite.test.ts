import type { User } from "@envkeep/contract"
import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { nextCodeOf, setUpTotp } from "@envkeep/testing/authenticator.ts"
import { publicUrl, settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { startForger } from "@envkeep/testing/oidc/forger.ts"
import { beginConnecting, beginSignIn, go } from "@envkeep/testing/oidc/sign-in.ts"
import { addPasskey } from "@envkeep/testing/passkey-use.ts"
import { authenticator } from "@envkeep/testing/passkeys.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

// Sign-ins with a provider together with second factors and confirmations.

type Forger = Awaited<ReturnType<typeof startForger>>

const signIn = async (browser: Person, forger: Forger, query = "") =>
  go(browser, forger.comeBack(await beginSignIn(browser, query)))
const meOf = async (browser: Person) => (await browser.get<User | null>("/users/me")).body.data
const nowSeconds = () => Math.floor(Date.now() / 1_000)

/** Confirms with the provider, and returns the page that the browser is sent to. */
async function confirm(browser: Person, forger: Forger): Promise<string> {
  const asked = { provider: "acme", to: "/user/dashboard" }
  const { body } = await browser.post<{ address: string }>("/users/me/confirm/provider", asked)
  const address = await go(browser, body.data.address)
  expect(new URL(address).searchParams.get("prompt")).toBe("login")
  expect(new URL(address).searchParams.get("max_age")).toBe("0")
  return go(browser, forger.comeBack(address))
}

/** The status of a call that needs a confirmation. */
const sensitive = async (browser: Person) =>
  (await browser.post("/users/me/tokens", { name: crypto.randomUUID(), scope: "read" })).status
const forget = ({ db }: TestApp) => db.updateTable("session").set({ confirmed_at: 0 }).execute()

test("an account with an authenticator app is asked for its code, unless the provider's sign-in counts as both", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const ann = person(app.app)
  await signIn(ann, forger)
  const { secret, recoveryCodes } = await setUpTotp(ann)
  expect(recoveryCodes).not.toEqual([])

  const other = person(app.app)
  expect(await signIn(other, forger)).toBe("/login?second-factor=totp-recoveryCode")
  expect(await meOf(other)).toBeNull()
  expect((await other.post("/users/login/code", { code: "000000" })).status).toBe(401)
  expect((await other.post("/users/login/code", { code: nextCodeOf(secret) })).status).toBe(200)
  expect(await meOf(other)).toEqual(await meOf(ann))

  // What the person came for is not lost on the way.
  const waiting = "/login?second-factor=totp-recoveryCode"
  expect(await signIn(person(app.app), forger, "?to=/cli/confirm")).toBe(`${waiting}&to=%2Fcli%2Fconfirm`)
  expect(await signIn(person(app.app), forger, "?to=//example.com")).toBe(waiting)
  forger.answer = (_, response) => Boolean(response.writeHead(503).end())
  expect(await signIn(person(app.app), forger, "?to=/cli/confirm")).toBe("/login?problem=away&to=%2Fcli%2Fconfirm")
  forger.answer = undefined

  // Lost: an administrator's link finishes a login that the provider has begun, too.
  const lost = person(app.app)
  await signIn(lost, forger)
  const { id } = (await meOf(ann)) as User
  const { body } = await (await app.admin()).post<{ token: string }>(`/admin/users/${id}/factor-link`)
  expect((await lost.post("/users/login/factor-link", { token: body.data.token })).status).toBe(200)
  expect(await meOf(lost)).toMatchObject({ id })
  expect(await signIn(person(app.app), forger)).toBe("/collection/dashboard")
  await setUpTotp(lost)

  const trusting = await testApp({
    env: { ...settingsFor(forger.issuer, { SECOND_FACTOR: "provider" }), ENVKEEP_REQUIRE_SECOND_FACTOR: "all" },
    location: app.location,
  })
  const third = person(trusting.app)
  expect(await signIn(third, forger)).toBe("/collection/dashboard")
  expect(await meOf(third)).not.toHaveProperty("needsSecondFactor")
  expect((await third.get("/collection")).status).toBe(200)
})

test("where a second factor is required, a provider that checks one factor does not replace it", async () => {
  const forger = await startForger()
  const app = await testApp({ env: { ...settingsFor(forger.issuer), ENVKEEP_REQUIRE_SECOND_FACTOR: "all" } })
  const ann = person(app.app)
  await signIn(ann, forger)
  expect(await meOf(ann)).toMatchObject({ needsSecondFactor: true })
  expect((await ann.get("/collection")).status).toBe(403)
  await setUpTotp(ann)
  expect((await ann.get("/collection")).status).toBe(200)
})

test("a sign-in that the provider did not ask for again confirms nothing, if it says when it last did", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  for (const [seconds, status] of [
    [0, 200],
    [0.25, 200],
    [9 * 60, 200],
    [11 * 60, 403],
  ] as const) {
    Object.assign(forger, { claims: { auth_time: nowSeconds() - seconds } })
    const ann = person(app.app)
    await signIn(ann, forger)
    expect([seconds, await sensitive(ann)]).toEqual([seconds, status])
  }
})

test("an account without a password confirms by signing in at the provider again, with the same account, since then", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const ann = person(app.app)
  await signIn(ann, forger)
  await forget(app)
  const refused = await ann.post("/users/me/delete-confirmed")
  expect([refused.status, refused.body.data]).toEqual([403, { confirm: { password: false, passkey: false } }])
  const { subject } = forger

  // The provider has asked before, or someone else has signed in.
  for (const [claims, sub, problem] of [
    [{ auth_time: nowSeconds() - 60 }, subject, "refused"],
    [{ auth_time: nowSeconds() }, "someone else", "other-account"],
  ] as const) {
    Object.assign(forger, { claims, subject: sub })
    expect(await confirm(ann, forger)).toBe(`/user/dashboard?problem=${problem}`)
    expect(await sensitive(ann)).toBe(403)
  }
  // Some providers never say when they asked. The person is the same, which is all that their sign-ins show too.
  for (const claims of [{}, { auth_time: nowSeconds() }, { auth_time: nowSeconds() + 0.25 }]) {
    await forget(app)
    Object.assign(forger, { claims, subject })
    expect(await confirm(ann, forger)).toBe("/user/dashboard")
    expect(await sensitive(ann)).toBe(200)
  }

  const deleted = await ann.post("/users/me/delete-confirmed")
  expect([deleted.status, await meOf(ann)]).toEqual([200, null])
  expect(await app.db.selectFrom("identity").select("id").execute()).toEqual([])
})

test("an account with a password cannot confirm at a provider, which may not have asked anyone", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const ann = await app.user()
  await go(ann, forger.comeBack(await beginConnecting(ann)))
  await setUpTotp(ann)
  await forget(app)
  const refused = await ann.post("/users/me/confirm/provider", { provider: "acme", to: "/user/dashboard" })
  expect([refused.status, refused.body.msg]).toEqual([
    400,
    "Your account has a password. Please confirm with it or with a passkey",
  ])
  expect(await app.db.selectFrom("provider_visit").select("id").execute()).toEqual([])
  expect(await sensitive(ann)).toBe(403)
})

test("an account with a second factor confirms at a provider only if that says that it has asked now", async () => {
  for (const addFactor of [setUpTotp, (ann: Person) => addPasskey(ann, authenticator({ origin: publicUrl }))]) {
    const forger = await startForger()
    const app = await testApp({ env: settingsFor(forger.issuer) })
    const ann = person(app.app)
    await signIn(ann, forger)
    await addFactor(ann)
    await forget(app)
    const [now, email] = [nowSeconds(), "ann@example.com"]
    for (const [claims, userInfo, problem] of [
      [{}, {}, "not-asked"],
      // Not a part of what the token proves.
      [{ email: undefined }, { email, auth_time: now }, "not-asked"],
      [{ auth_time: now - 60 }, {}, "refused"],
    ] as const) {
      Object.assign(forger, { claims, userInfo })
      expect(await confirm(ann, forger)).toBe(`/user/dashboard?problem=${problem}`)
      expect(await sensitive(ann)).toBe(403)
    }
    Object.assign(forger, { claims: { auth_time: nowSeconds() }, userInfo: {} })
    expect(await confirm(ann, forger)).toBe("/user/dashboard")
    expect(await sensitive(ann)).toBe(200)

    // Where the provider's sign-in counts as both factors, a login would not ask for more either.
    const env = settingsFor(forger.issuer, { SECOND_FACTOR: "provider" })
    const trusting = await testApp({ env, location: app.location })
    const other = person(trusting.app)
    forger.claims = {}
    expect(await signIn(other, forger)).toBe("/collection/dashboard")
    await forget(app)
    expect(await confirm(other, forger)).toBe("/user/dashboard")
    expect(await sensitive(other)).toBe(200)
  }
})

test("connecting and disconnecting need a confirmed session, and a stranger's sign-in confirms nothing", async () => {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const ann = await app.user()
  await go(ann, forger.comeBack(await beginConnecting(ann)))
  const [{ id } = { id: 0 }] = await app.db.selectFrom("identity").select("id").execute()
  await app.db.updateTable("session").set({ confirmed_at: 0 }).execute()
  const confirmFirst = { status: 403, body: { data: { confirm: { password: true, passkey: false } } } }
  expect(await ann.post("/users/me/identities", { provider: "acme" })).toMatchObject(confirmFirst)
  expect(await ann.delete(`/users/me/identities/${id}`)).toMatchObject(confirmFirst)
  const withPassword = await (await app.user()).post("/users/me/delete-confirmed")
  expect([withPassword.status, withPassword.body.msg]).toEqual([400, "Your account has a password. Please enter it"])
})
