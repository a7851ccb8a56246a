import { type RecoveryCodes, type SecondFactors, sentences, type User } from "@envkeep/contract"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { type Authenticator, codeOf, logInWithCode, nextCodeOf, setUpTotp } from "@envkeep/testing/authenticator.ts"
import { backUp, backupFile, rotate } from "@envkeep/testing/commands.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { restored } from "@envkeep/testing/restored.ts"
import { expect, onTestFinished, test, vi } from "vitest"

const stepMs = 30_000
const invalidCode = { status: 401, body: { error: true, msg: sentences.totpCodeWrong, data: null } }
const invalidRecoveryCode = { status: 401, body: { msg: sentences.recoveryCodeWrong, data: null } }
const expired = { status: 401, body: { msg: sentences.signInExpired, data: null } }
const needed = (recoveryCode = true) => ({
  status: 403,
  body: {
    error: true,
    msg: "Please confirm the login with your second factor",
    data: { secondFactor: { totp: true, passkey: false, recoveryCode } },
  },
})

const statusOf = async (person: Person) => (await person.get<SecondFactors>("/users/me/second-factors")).body.data
const meOf = async (person: Person) => (await person.get<User | null>("/users/me")).body.data

/** A user with an authenticator app, and a browser in which no one has logged in yet. */
async function withTotp(app: TestApp): Promise<{ ann: Person; browser: Person; totp: Authenticator; userId: number }> {
  const ann = await app.user()
  const totp = await setUpTotp(ann)
  return { ann, totp, browser: person(app.app, ann.email), userId: (await meOf(ann))?.id ?? 0 }
}

const firstStep = ({ email }: Person, browser: Person) => browser.post("/users/login", { email, password })

/** As if the last code had been used long ago. */
const forgetLastStep = ({ db }: TestApp) => db.updateTable("totp").set({ last_step: 0 }).execute()

test("an app counts once its first code was entered, and from then on a login has two steps", async () => {
  const app = await testApp()
  const [ann, other] = [await app.user(), await app.user()]
  const none = { totp: false, passkeys: 0, recoveryCodesLeft: 0, isRequired: false }
  expect(await ann.post("/users/me/totp/confirm", { code: "123456" })).toMatchObject({
    status: 409,
    body: { msg: sentences.totpNotBegun },
  })
  const first = (await ann.post<{ secret: string }>("/users/me/totp")).body.data
  const begun = (await ann.post<{ secret: string; uri: string }>("/users/me/totp")).body.data
  expect(begun.secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(begun.uri).toContain(`secret=${begun.secret}&issuer=Envkeep`)
  expect(await statusOf(ann)).toEqual(none)
  expect((await firstStep(ann, app.guest)).status).toBe(200)

  // Of the secret that was replaced.
  const wrong = await ann.post("/users/me/totp/confirm", { code: codeOf(first.secret) })
  expect(wrong).toMatchObject({ status: 400, body: { msg: sentences.totpCodeWrong } })
  const code = codeOf(begun.secret)
  const done = await ann.post<RecoveryCodes>("/users/me/totp/confirm", {
    code: ` ${code.slice(0, 3)} ${code.slice(3)} `,
  })
  expect(done).toMatchObject({ status: 200, body: { msg: "Authenticator app switched on" } })
  const { recoveryCodes } = done.body.data
  expect(new Set(recoveryCodes).size).toBe(10)
  for (const one of recoveryCodes) expect(one).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){5}[0-9A-HJKMNP-TV-Z]{4}$/)
  expect(await statusOf(ann)).toEqual({ ...none, totp: true, recoveryCodesLeft: 10 })
  for (const path of ["/users/me/totp", "/users/me/totp/confirm"]) {
    expect(await ann.post(path, path.endsWith("m") ? { code } : undefined)).toMatchObject({
      status: 409,
      body: { msg: sentences.totpAlreadyOn },
    })
  }

  const browser = person(app.app)
  const asked = await firstStep(ann, browser)
  expect(asked).toMatchObject(needed())
  expect(String(asked.headers["set-cookie"])).toMatch(
    /^envkeep_sign_in=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/,
  )
  expect([await meOf(browser), (await browser.get("/collection")).status]).toEqual([null, 401])
  const finished = await browser.post("/users/login/code", { code: nextCodeOf(begun.secret) })
  expect(finished).toMatchObject({ status: 200, body: { msg: "Logged in successfully", data: { email: ann.email } } })
  expect(String(finished.headers["set-cookie"])).toContain("envkeep_sign_in=; ")
  expect(await meOf(browser)).toMatchObject({ email: ann.email })
  expect((await firstStep(other, person(app.app))).status).toBe(200)

  const stored = JSON.stringify([
    await app.db.selectFrom("totp").selectAll().execute(),
    await app.db.selectFrom("recovery_code").selectAll().execute(),
    await app.db.selectFrom("audit_event").selectAll().execute(),
  ])
  for (const secret of [begun.secret, ...recoveryCodes, ...recoveryCodes.map((one) => one.replaceAll("-", ""))]) {
    expect(stored).not.toContain(secret)
  }
})

testOnce("under https, the cookie between the steps is bound to the host", async () => {
  const app = await testApp({ env: { PUBLIC_URL: "https://env.example.com" } })
  const { ann, browser } = await withTotp(app)
  const asked = await firstStep(ann, browser)
  expect(String(asked.headers["set-cookie"])).toMatch(
    /^__Host-envkeep_sign_in=[\w-]{43}; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
})

test("each code works once, also of two logins at the same time, and none that came before it", async () => {
  const app = await testApp()
  const { ann, totp } = await withTotp(app)
  const browsers = [person(app.app), person(app.app)]
  for (const browser of browsers) await firstStep(ann, browser)
  const [one] = browsers as [Person, Person]
  expect(await one.post("/users/login/code", { code: totp.usedCode })).toMatchObject(invalidCode)
  const code = nextCodeOf(totp.secret)
  const answers = await Promise.all(browsers.map((browser) => browser.post("/users/login/code", { code })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
  expect(answers.find(({ status }) => status === 401)).toMatchObject(invalidCode)
  const loser = browsers[answers.findIndex(({ status }) => status === 401)] as Person
  for (const used of [code, totp.usedCode]) {
    expect(await loser.post("/users/login/code", { code: used })).toMatchObject(invalidCode)
  }
  await forgetLastStep(app)
  expect(await loser.post("/users/login/code", { code: codeOf(totp.secret) })).toMatchObject({ status: 200 })
})

testOnce("a phone's clock may be one step wrong, and a server's that was ahead locks no one out", async () => {
  const app = await testApp()
  // The clock stands still, so that no code becomes too old on its way.
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  const { ann, browser, totp } = await withTotp(app)
  await firstStep(ann, browser)
  const at = (drift: number) => codeOf(totp.secret, Date.now() + drift * stepMs)
  for (const drift of [-2, 2]) {
    await forgetLastStep(app)
    expect(await browser.post("/users/login/code", { code: at(drift) })).toMatchObject(invalidCode)
  }
  for (const drift of [-1, 0, 1]) {
    await forgetLastStep(app)
    const answer = await logInWithCode(person(app.app), { email: ann.email, password, code: at(drift) })
    expect([drift, answer.status]).toEqual([drift, 200])
  }
  const yearAhead = Math.floor(Date.now() / stepMs) + 1_000_000
  await app.db.updateTable("totp").set({ last_step: yearAhead }).execute()
  const login = { email: ann.email, password, code: at(0) }
  expect(await logInWithCode(person(app.app), login)).toMatchObject({ status: 200 })
  expect(await logInWithCode(person(app.app), login)).toMatchObject(invalidCode)
})

test("a recovery code works once, however it is typed, and new ones end the old ones", async () => {
  const app = await testApp()
  const { ann, totp } = await withTotp(app)
  const [first = "", second = "", third = ""] = totp.recoveryCodes
  const use = async (code: string) => {
    const browser = person(app.app)
    await firstStep(ann, browser)
    return browser.post("/users/login/recovery-code", { code })
  }
  const typed = first.toLowerCase().replaceAll("-", " ").replaceAll("0", "o").replaceAll("1", "l")
  expect(await use(typed)).toMatchObject({ status: 200 })
  expect(await use(first)).toMatchObject(invalidRecoveryCode)
  expect(await statusOf(ann)).toMatchObject({ totp: true, recoveryCodesLeft: 9 })
  const both = await Promise.all([use(second), use(second)])
  expect(both.map(({ status }) => status).sort()).toEqual([200, 401])

  const made = await ann.post<RecoveryCodes>("/users/me/recovery-codes")
  expect(made).toMatchObject({ status: 200, body: { msg: "Recovery codes created" } })
  expect(await use(third)).toMatchObject(invalidRecoveryCode)
  expect(await use(made.body.data.recoveryCodes[9] ?? "")).toMatchObject({ status: 200 })
  const events = await app.db
    .selectFrom("audit_event")
    .select(["action", "details"])
    .where("action", "in", ["totp.enable", "recovery-codes.create", "recovery-code.use"])
    .orderBy("id")
    .execute()
  expect(events.map(({ action, details }) => [action, JSON.parse(details).left])).toEqual([
    ["totp.enable", undefined],
    ["recovery-code.use", 9],
    ["recovery-code.use", 8],
    ["recovery-codes.create", undefined],
    ["recovery-code.use", 9],
  ])

  // The codes of one account do not open another.
  const eve = await withTotp(app)
  await firstStep(eve.ann, eve.browser)
  const hers = made.body.data.recoveryCodes[0] ?? ""
  expect(await eve.browser.post("/users/login/recovery-code", { code: hers })).toMatchObject(invalidRecoveryCode)
})

test("switched off, the password alone is enough again, and the recovery codes are gone", async () => {
  const app = await testApp()
  const { ann, browser, totp } = await withTotp(app)
  await firstStep(ann, browser)
  expect(await ann.delete("/users/me/totp")).toMatchObject({
    status: 200,
    body: { msg: "Authenticator app switched off" },
  })
  expect(await statusOf(ann)).toEqual({ totp: false, passkeys: 0, recoveryCodesLeft: 0, isRequired: false })
  // The login that waited ends: what it waited for is gone.
  expect(await browser.post("/users/login/code", { code: nextCodeOf(totp.secret) })).toMatchObject(invalidCode)
  expect(await firstStep(ann, browser)).toMatchObject({ status: 200 })
  for (const [call, msg] of [
    [ann.delete("/users/me/totp"), sentences.totpNotOn],
    [ann.post("/users/me/recovery-codes"), sentences.noSecondFactor],
  ] as const) {
    expect(await call).toMatchObject({ status: 409, body: { msg } })
  }
})

test("a login that waits is finished once, by its own browser, within ten minutes and five tries", async () => {
  const app = await testApp()
  const { ann, browser, totp } = await withTotp(app)
  const code = nextCodeOf(totp.secret)
  expect(await browser.post("/users/login/code", { code })).toMatchObject(expired)
  await firstStep(ann, browser)
  const { cookie } = browser
  // With the waiting login of another account, the right code is wrong.
  const eve = await withTotp(app)
  await firstStep(eve.ann, eve.browser)
  expect(await eve.browser.post("/users/login/code", { code })).toMatchObject(invalidCode)
  expect(await person(app.app).post("/users/login/code", { code })).toMatchObject(expired)

  await app.db.updateTable("pending_sign_in").set({ expires_at: Date.now() }).execute()
  expect(await browser.post("/users/login/code", { code })).toMatchObject(expired)
  await app.db
    .updateTable("pending_sign_in")
    .set({ expires_at: Date.now() + 60_000 })
    .execute()
  expect(await browser.post("/users/login/code", { code })).toMatchObject({ status: 200 })
  await forgetLastStep(app)
  const replayed = await app.guest.post("/users/login/code", { code }, { cookie })
  expect(replayed).toMatchObject(expired)

  const guesser = person(app.app)
  await firstStep(ann, guesser)
  for (let n = 0; n < 5; n++) expect((await guesser.post("/users/login/recovery-code", { code: "0" })).status).toBe(401)
  const [right = ""] = totp.recoveryCodes
  expect(await guesser.post("/users/login/recovery-code", { code: right })).toMatchObject(expired)
})

testOnce("what happens to the account between the steps ends the login", async () => {
  const app = await testApp()
  const admin = await app.admin()
  const between = async (change: (account: { ann: Person; userId: number }) => Promise<unknown>) => {
    const { ann, browser, totp, userId } = await withTotp(app)
    await firstStep(ann, browser)
    await change({ ann, userId })
    const answer = await browser.post("/users/login/code", { code: nextCodeOf(totp.secret) })
    expect(await meOf(browser)).toBeNull()
    return answer
  }
  const changed = { oldPassword: password, password: `new ${password}`, password2: `new ${password}` }
  expect(await between(({ ann }) => ann.put("/users/password", changed))).toMatchObject(expired)
  expect(await between(({ userId }) => admin.post(`/admin/users/${userId}/disable`))).toMatchObject(expired)
  expect(await between(({ ann }) => ann.post("/users/me/delete", { password }))).toMatchObject(expired)
  const { ann, browser, userId } = await withTotp(app)
  await admin.post(`/admin/users/${userId}/disable`)
  expect(await firstStep(ann, browser)).toMatchObject({
    status: 403,
    body: { msg: sentences.accountDisabled, data: null },
  })
})

testOnce("a reset link sets a password, and the second factor stays", async () => {
  const app = await testApp()
  const admin = await app.admin()
  const { ann, browser, userId } = await withTotp(app)
  const { token } = (await admin.post<{ token: string }>(`/admin/users/${userId}/reset-link`)).body.data
  expect((await browser.post("/users/password/reset", { token, password, password2: password })).status).toBe(200)
  expect(await firstStep(ann, browser)).toMatchObject(needed())
})

test("replacing the root key, and restoring a backup, keep second factors", async () => {
  const app = await testApp()
  const { ann, totp } = await withTotp(app)
  expect((await rotate(app.location)).exitCode).toBe(0)
  const login = (code: string) => ({ email: ann.email, password, code })
  expect(await logInWithCode(person(app.app), login(nextCodeOf(totp.secret)))).toMatchObject({ status: 200 })
  const file = await backupFile()
  await backUp(app.location, file)
  const copy = await restored(app, file)
  await forgetLastStep(copy)
  expect(await logInWithCode(person(copy.app), login(codeOf(totp.secret)))).toMatchObject({ status: 200 })
  const browser = person(copy.app)
  expect(await firstStep(ann, browser)).toMatchObject(needed())
  expect(await browser.post("/users/login/recovery-code", { code: totp.recoveryCodes[0] })).toMatchObject({
    status: 200,
  })
})

testOnce("a secret that is damaged is said to be so, and a recovery code still works", async () => {
  const app = await testApp()
  const { ann, browser, totp } = await withTotp(app)
  await app.db
    .updateTable("totp")
    .set({ sealed_secret: Buffer.alloc(49) })
    .execute()
  await firstStep(ann, browser)
  expect(await browser.post("/users/login/code", { code: codeOf(totp.secret) })).toMatchObject({
    status: 409,
    body: { msg: sentences.totpDamaged },
  })
  expect(await browser.post("/users/login/recovery-code", { code: totp.recoveryCodes[0] })).toMatchObject({
    status: 200,
  })
})

test("the first second factor ends the other sessions, which have shown none, also those that begin in that moment", async () => {
  const app = await testApp()
  const ann = await app.user()
  const begun = (await ann.post<{ secret: string }>("/users/me/totp")).body.data
  const thieves = Array.from({ length: 4 }, () => person(app.app))
  const [early, ...others] = thieves as [Person, ...Person[]]
  expect((await firstStep(ann, early)).status).toBe(200)
  expect((await early.get("/collection")).status).toBe(200)
  const confirming = ann.post("/users/me/totp/confirm", { code: codeOf(begun.secret) })
  await Promise.all(others.map((thief) => firstStep(ann, thief)))
  expect((await confirming).status).toBe(200)
  for (const thief of thieves) expect((await thief.get("/collection")).status).toBe(401)
  expect((await ann.get("/collection")).status).toBe(200)
})

testOnce("logins that others begin with the password, in another network, do not end the owner's", async () => {
  const app = await testApp()
  const { ann, browser, totp } = await withTotp(app)
  await firstStep(ann, browser)
  const attacker = person(app.app)
  const payload = JSON.stringify({ email: ann.email, password })
  const headers = { "content-type": "application/json" }
  for (let n = 0; n < 21; n++) {
    const login = { method: "POST", url: "/api/users/login", payload, headers, remoteAddress: "203.0.113.7" } as const
    expect(await attacker.send(login)).toMatchObject(needed())
  }
  const waiting = await app.db.selectFrom("pending_sign_in").select("address").execute()
  expect(waiting.map(({ address }) => address).toSorted()).toEqual([
    "127.0.0.0/24",
    ...Array(20).fill("203.0.113.0/24"),
  ])
  expect(await browser.post("/users/login/code", { code: nextCodeOf(totp.secret) })).toMatchObject({ status: 200 })
})
