import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

const login = ({ guest }: TestApp, email: string, { from = "203.0.113.1", secret = "wrong password" } = {}) =>
  guest.post("/users/login", { email, password: secret }, { "x-forwarded-for": from })

const behindProxy = { env: { ENVKEEP_TRUST_PROXY: "1" } }

test("the eleventh wrong password for an account from one address has to wait, many at once included", async () => {
  const app = await testApp(behindProxy)
  const { email } = await app.user()

  const answers = await Promise.all(Array.from({ length: 15 }, () => login(app, email)))

  const statuses = answers.map((answer) => answer.status).sort()
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

test("whatever strangers do, the owner can log in from a browser used before, or just registered with", async () => {
  const app = await testApp(behindProxy)
  const ann = await app.user()
  const fresh = person(app.app, "fresh@example.com")
  const form = { username: "fresh", email: fresh.email, password, password2: password }
  await fresh.post("/users/register", form, { "x-forwarded-for": "203.0.113.1" })
  for (const { email } of [ann, fresh]) {
    for (let host = 1; host <= 11; host++) {
      await Promise.all(Array.from({ length: 10 }, () => login(app, email, { from: `203.0.113.${host}` })))
    }
  }
  expect((await login(app, ann.email, { from: "203.0.113.99", secret: password })).status).toBe(429)
  const again = (who: typeof ann) =>
    who.post("/users/login", { email: who.email, password }, { "x-forwarded-for": "203.0.113.1" })
  expect((await again(ann)).status).toBe(200)
  expect((await again(fresh)).status).toBe(200)
})

test("a known browser is limited too, by itself, and for its own account only", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const guess = (email: string) => ann.post("/users/login", { email, password: "wrong password" })
  for (let n = 0; n < 10; n++) expect((await guess(ann.email)).status).toBe(401)
  expect((await guess(ann.email)).status).toBe(429)
  for (let n = 0; n < 10; n++) expect((await guess(bob.email)).status).toBe(401)
  expect((await guess(bob.email)).status).toBe(429)
})

test("an unknown e-mail is limited like a known one, and the wait ends by itself", async () => {
  const app = await testApp(behindProxy)
  for (let n = 0; n < 10; n++) expect((await login(app, "nobody@example.com")).status).toBe(401)
  expect((await login(app, "nobody@example.com")).status).toBe(429)

  await app.db.updateTable("attempt").set({ resets_at: Date.now() }).execute()
  expect((await login(app, "nobody@example.com")).status).toBe(401)
})

test("one address cannot try its luck at many accounts", async () => {
  const app = await testApp(behindProxy)
  const answers = await Promise.all(Array.from({ length: 101 }, (_, n) => login(app, `nobody${n}@example.com`)))
  expect(answers.filter((answer) => answer.status === 429)).toHaveLength(1)
})

test("logins that succeed do not count", async () => {
  const app = await testApp(behindProxy)
  const { email } = await app.user()
  for (let n = 0; n < 12; n++) expect((await login(app, email, { secret: password })).status).toBe(200)
})

test("one address registers a hundred accounts an hour and no more", async () => {
  const app = await testApp(behindProxy)
  await app.db.deleteFrom("attempt").execute()
  const register = (n: number) =>
    app.guest.post(
      "/users/register",
      { username: "x", email: `x${n}@example.com`, password, password2: password },
      { "x-forwarded-for": "203.0.113.1" },
    )
  const answers = await Promise.all(Array.from({ length: 103 }, (_, n) => register(n)))
  expect(answers.filter((answer) => answer.status === 201)).toHaveLength(100)
  expect(answers.find((answer) => answer.status === 429)?.body.msg).toMatch(/^Too many attempts/)
})

test("a stolen session cannot guess at the password for ever", async () => {
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
