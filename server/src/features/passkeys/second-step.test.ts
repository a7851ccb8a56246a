import { type ActivityPage, type PasskeyRequest, type RecoveryCodes, sentences, type User } from "@envkeep/contract"
import { password, testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { addPasskey as add, beginSignIn, listed, refused, signIn, tooLate } from "@envkeep/testing/passkey-use.ts"
import { authenticator } from "@envkeep/testing/passkeys.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"
import { noPassword } from "../../keys/password.ts"

const beginSecondStep = async (browser: Person) =>
  (await browser.post<PasskeyRequest>("/users/login/passkey/second-step/begin")).body.data
const takeSecondStep = (browser: Person, answer: unknown) =>
  browser.post<User>("/users/login/passkey/second-step", { answer })

testOnce("with a passkey, a password needs a second step, which only a passkey of the same account takes", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const [hers, his] = [authenticator(), authenticator()]
  const { id } = await add(ann, hers)
  await add(bob, his)
  const browser = person(app.app)
  const needed = await browser.post("/users/login", { email: ann.email, password })
  expect(needed).toMatchObject({
    status: 403,
    body: { data: { secondFactor: { totp: false, passkey: true, recoveryCode: true } } },
  })
  const options = await beginSecondStep(browser)
  expect(options.allowCredentials.map((one) => one.id)).toEqual([hers.id])
  expect(await takeSecondStep(browser, his.get(options))).toMatchObject(refused)
  const noVerification = hers.get(await beginSecondStep(browser), { isVerified: false })
  expect(await takeSecondStep(browser, noVerification)).toMatchObject({ body: { msg: sentences.passkeyNotVerified } })
  // A challenge of one purpose does not serve another.
  expect(await takeSecondStep(browser, hers.get(await beginSignIn(browser)))).toMatchObject(tooLate)
  expect(await browser.get("/collection")).toMatchObject({ status: 401 })

  const done = await takeSecondStep(browser, hers.get(await beginSecondStep(browser)))
  expect(done).toMatchObject({ status: 200, body: { msg: "Logged in successfully", data: { email: ann.email } } })
  expect(await browser.get("/collection")).toMatchObject({ status: 200 })
  const expired = { status: 401, body: { msg: sentences.signInExpired } }
  expect(await browser.post("/users/login/passkey/second-step/begin")).toMatchObject(expired)
  expect(await takeSecondStep(app.guest, hers.get(options))).toMatchObject(expired)
  const { events } = (await ann.get<ActivityPage>("/users/me/activity")).body.data
  expect(events.some(({ action }) => action === "session.refuse-factor")).toBe(true)

  // A passkey that is gone finishes nothing, and without one the password is enough.
  const other = person(app.app)
  await other.post("/users/login", { email: ann.email, password })
  const late = hers.get(await beginSecondStep(other))
  const { recoveryCodes } = (await ann.post<RecoveryCodes>("/users/me/recovery-codes")).body.data
  expect(recoveryCodes).toHaveLength(10)
  await ann.delete(`/users/me/passkeys/${id}`)
  expect(await takeSecondStep(other, late)).toMatchObject(refused)
  expect((await ann.get("/users/me/second-factors")).body.data).toMatchObject({ passkeys: 0, recoveryCodesLeft: 0 })
  expect(await other.post("/users/login", { email: ann.email, password })).toMatchObject({ status: 200 })
})

test("a passkey confirms its own user's session, and is the second factor that a server requires", async () => {
  const app = await testApp({ env: { ENVKEEP_REQUIRE_SECOND_FACTOR: "all" } })
  const [ann, bob] = [await app.user(), await app.user()]
  const [hers, his] = [authenticator(), authenticator()]
  expect((await ann.get("/collection")).status).toBe(403)
  await add(ann, hers)
  await add(bob, his)
  expect((await ann.get("/collection")).status).toBe(200)
  expect((await signIn(app, hers)).answered.body.data).not.toHaveProperty("needsSecondFactor")

  await app.db.updateTable("session").set({ confirmed_at: 0 }).execute()
  const newToken = (user: Person) => user.post("/users/me/tokens", { name: "ci", scope: "read" })
  expect(await newToken(ann)).toMatchObject({
    status: 403,
    body: { data: { confirm: { password: true, passkey: true } } },
  })
  const ask = async () => (await ann.post<PasskeyRequest>("/users/me/confirm/passkey/begin")).body.data
  const confirm = (user: Person, answer: unknown) => user.post("/users/me/confirm/passkey", { answer })
  const wrong = { status: 400, body: { msg: sentences.passkeyRefused } }
  expect(await confirm(ann, his.get(await ask()))).toMatchObject(wrong)
  expect(await confirm(ann, hers.get(await ask(), { isVerified: false }))).toMatchObject({ status: 400 })
  const answer = hers.get(await ask())
  expect(await confirm(bob, answer)).toMatchObject({ status: 400, body: { msg: sentences.passkeyExpired } })
  expect((await newToken(ann)).status).toBe(403)
  expect(await confirm(ann, answer)).toMatchObject({ status: 200, body: { msg: "Confirmed" } })
  expect(await confirm(ann, answer)).toMatchObject({ status: 400, body: { msg: sentences.passkeyExpired } })
  expect((await newToken(ann)).status).toBe(200)
  expect((await newToken(bob)).status).toBe(403)
})

testOnce("an administrator's link for a lost factor removes the passkeys too", async () => {
  const app = await testApp()
  const [ann, admin] = [await app.user(), await app.admin()]
  const lost = authenticator()
  await add(ann, lost)
  const { id } = (await ann.get<User>("/users/me")).body.data
  const link = await admin.post<{ link: string }>(`/admin/users/${id}/factor-link`)
  const token = /[\w-]{43}/.exec(JSON.stringify(link.body.data))?.[0]
  const browser = person(app.app)
  await browser.post("/users/login", { email: ann.email, password })
  expect(await browser.post("/users/login/factor-link", { token })).toMatchObject({ status: 200 })
  expect(await listed(browser)).toEqual([])
  expect((await signIn(app, lost)).answered).toMatchObject(refused)
})

testOnce(
  "the first passkey ends the other sessions, a second one ends none, and the last way to sign in stays",
  async () => {
    const app = await testApp()
    const ann = await app.user()
    const thief = person(app.app)
    await thief.post("/users/login", { email: ann.email, password })
    const laptop = authenticator()
    const { id } = await add(ann, laptop)
    expect((await thief.get("/collection")).status).toBe(401)
    const { browser } = await signIn(app, laptop)
    const phone = await add(ann, authenticator(), "phone")
    expect((await browser.get("/collection")).status).toBe(200)

    await app.db.updateTable("user").set({ password_hash: noPassword }).execute()
    expect((await ann.delete(`/users/me/passkeys/${phone.id}`)).status).toBe(200)
    expect(await ann.delete(`/users/me/passkeys/${id}`)).toMatchObject({
      status: 409,
      body: {
        msg: "This is the only way to sign in to your account. Add another way or set a password with a reset link first, then remove it",
      },
    })
    expect((await signIn(app, laptop)).answered).toMatchObject({ status: 200 })
  },
)
