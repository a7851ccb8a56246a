import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

const login = ({ guest }: TestApp, email: string, { from = "203.0.113.1", secret = "wrong password" } = {}) =>
  guest.post("/users/login", { email, password: secret }, { "x-forwarded-for": from })

const behindProxy = { env: { ENVKEEP_TRUST_PROXY: "1" } }

/** As if the one row that has counted so many had counted more. To hash as many passwords would take long. */
async function raise({ db }: TestApp, from: number, to: number): Promise<void> {
  const query = db.updateTable("attempt").set({ count: to }).where("count", "=", from)
  expect((await query.executeTakeFirst()).numUpdatedRows).toBe(1n)
}

const statusesOf = async (answers: Promise<{ status: number }>[]) =>
  (await Promise.all(answers)).map(({ status }) => status).sort()

test("after ten wrong passwords for an account from one address, the next must wait, even if all come at the same time", async () => {
  const app = await testApp(behindProxy)
  const { email } = await app.user()

  const answers = await Promise.all(Array.from({ length: 15 }, () => login(app, email)))

  const statuses = answers.map(({ status }) => status).sort()
  expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)])
  const refused = answers.find((answer) => answer.status === 429)
  expect(refused?.body).toEqual({
    error: true,
    msg: "Too many attempts. Please try again in 15 minutes",
    data: null,
  })
  expect(Number(refused?.headers["retry-after"])).toBeGreaterThan(800)
  expect((await login(app, email, { secret: password })).status).toBe(429)
})

test("guesses by strangers never keep the owner from logging in from a known browser, or the one used to register", async () => {
  const app = await testApp(behindProxy)
  const ann = await app.user()
  const fresh = person(app.app, "fresh@example.com")
  const form = { username: "fresh", email: fresh.email, password, password2: password }
  await fresh.post("/users/register", form, { "x-forwarded-for": "203.0.113.1" })
  for (const { email } of [ann, fresh]) expect((await login(app, email)).status).toBe(401)
  await app.db.updateTable("attempt").set({ count: 100 }).execute()
  expect((await login(app, ann.email, { from: "203.0.113.99", secret: password })).status).toBe(429)
  const logIn = (user: typeof ann) =>
    user.post("/users/login", { email: user.email, password }, { "x-forwarded-for": "203.0.113.1" })
  expect((await logIn(ann)).status).toBe(200)
  expect((await logIn(fresh)).status).toBe(200)
})

test("after a change of the e-mail, the browser in which it was changed is still known, and no other one", async () => {
  const app = await testApp(behindProxy)
  const ann = await app.user()
  const elsewhere = person(app.app)
  expect((await elsewhere.post("/users/login", { email: ann.email, password })).status).toBe(200)
  const email = "ann@new.example.com"
  expect((await ann.put("/users", { username: "ann", email })).status).toBe(200)

  for (let n = 0; n < 10; n++) expect((await login(app, email)).status).toBe(401)
  const logIn = (browser: typeof ann) =>
    browser.post("/users/login", { email, password }, { "x-forwarded-for": "203.0.113.1" })
  expect((await logIn(elsewhere)).status).toBe(429)
  expect((await logIn(ann)).status).toBe(200)
})

test("a known browser has a limit of its own, and only for its own account", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const guess = (email: string) => ann.post("/users/login", { email, password: "wrong password" })
  for (let n = 0; n < 10; n++) expect((await guess(ann.email)).status).toBe(401)
  expect((await guess(ann.email)).status).toBe(429)
  for (let n = 0; n < 10; n++) expect((await guess(bob.email)).status).toBe(401)
  expect((await guess(bob.email)).status).toBe(429)
})

test("an unknown e-mail has the same limit as a known one, and the wait ends by itself", async () => {
  const app = await testApp(behindProxy)
  for (let n = 0; n < 10; n++) expect((await login(app, "nobody@example.com")).status).toBe(401)
  expect((await login(app, "nobody@example.com")).status).toBe(429)

  await app.db.updateTable("attempt").set({ resets_at: Date.now() }).execute()
  expect((await login(app, "nobody@example.com")).status).toBe(401)
})

test("one address cannot try passwords on many accounts", async () => {
  const app = await testApp(behindProxy)
  const guess = (n: number) => login(app, `nobody${n}@example.com`)
  expect(await statusesOf([guess(1), guess(2)])).toEqual([401, 401])
  await raise(app, 2, 98)
  expect(await statusesOf([guess(3), guess(4), guess(5)])).toEqual([401, 401, 429])
})

test("successful logins do not count as attempts", async () => {
  const app = await testApp(behindProxy)
  const { email } = await app.user()
  for (let n = 0; n < 12; n++) expect((await login(app, email, { secret: password })).status).toBe(200)
})

test("an address that is over its limit uses up nothing of an account's", async () => {
  const app = await testApp(behindProxy)
  const { email } = await app.user()
  await Promise.all(Array.from({ length: 15 }, () => login(app, email)))
  const counts = await app.db.selectFrom("attempt").select("count").where("count", ">", 1).orderBy("count").execute()
  // The account's own, then those of the address and of both together.
  expect(counts.map(({ count }) => count)).toEqual([10, 15, 15])
})

test("one address can register at most a hundred accounts an hour", async () => {
  const app = await testApp(behindProxy)
  await app.db.deleteFrom("attempt").execute()
  const register = (n: number) =>
    app.guest.post(
      "/users/register",
      { username: "x", email: `x${n}@example.com`, password, password2: password },
      { "x-forwarded-for": "203.0.113.1" },
    )
  expect(await statusesOf([register(1), register(2)])).toEqual([201, 201])
  await raise(app, 2, 98)
  expect(await statusesOf([register(3), register(4), register(5)])).toEqual([201, 201, 429])
  expect((await register(6)).body.msg).toMatch(/^Too many attempts/)
})

test("a stolen session cannot be used to guess the password without limit", async () => {
  const app = await testApp()
  const ann = await app.user()
  const change = (oldPassword: string) =>
    ann.put("/users/password", { oldPassword, password: "a new password", password2: "a new password" })
  for (let n = 0; n < 10; n++) expect((await change("wrong")).status).toBe(400)
  expect((await change(password)).status).toBe(429)

  const elsewhere = person(app.app, ann.email)
  await elsewhere.post("/users/login", { email: ann.email, password })
  const next = { oldPassword: password, password: "a new password", password2: "a new password" }
  expect((await elsewhere.put("/users/password", next)).status).toBe(200)
})
