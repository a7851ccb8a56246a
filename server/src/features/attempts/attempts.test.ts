import { expect, test } from "vitest"
import { password, type TestApp, testApp } from "../../test/app.ts"

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

test("guesses from elsewhere do not lock the owner out", async () => {
  const app = await testApp(behindProxy)
  const { email } = await app.user()
  const home = "198.51.100.7"
  expect((await login(app, email, { from: home, secret: password })).status).toBe(200)

  for (let host = 1; host <= 11; host++) {
    await Promise.all(Array.from({ length: 10 }, () => login(app, email, { from: `203.0.113.${host}` })))
  }

  expect((await login(app, email, { from: "203.0.113.99", secret: password })).status).toBe(429)
  expect((await login(app, email, { from: home, secret: password })).status).toBe(200)
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
  const ann = await (await testApp()).user()
  const change = (oldPassword: string) =>
    ann.put("/users/password", { oldPassword, password: "a new password", password2: "a new password" })
  for (let n = 0; n < 10; n++) expect((await change("wrong")).status).toBe(400)
  expect((await change(password)).status).toBe(429)
})
