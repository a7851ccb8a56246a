import { password, testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { person } from "@envkeep/testing/person.ts"
import { expect } from "vitest"

// Attacks by people who have no account, password or session yet.

testOnce("a user cannot find out which e-mails are taken by changing their own without limit", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const changeEmail = (email: string) => ann.put("/users", { username: "ann", email })
  const answers = await Promise.all(Array.from({ length: 101 }, () => changeEmail(bob.email)))
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(100)
  expect(answers.find(({ status }) => status === 429)?.body.msg).toMatch(/^Too many attempts/)
  expect((await changeEmail("free@example.com")).status).toBe(429)
  expect((await changeEmail(ann.email)).status).toBe(200)
  expect((await bob.put("/users", { username: "bob", email: "bob@example.com" })).status).toBe(200)
})

testOnce("a session cookie planted by an attacker before the login does not work after it", async () => {
  const app = await testApp()
  const [victim, attacker] = [await app.user(), await app.user()]
  const planted = "A".repeat(43)
  const login = (cookie: string) =>
    person(app.app).post("/users/login", { email: victim.email, password }, { cookie: `envkeep_session=${cookie}` })

  const given = String((await login(planted)).headers["set-cookie"])
  expect(given).toMatch(/envkeep_session=[\w-]{43};/)
  expect(given).not.toContain(planted)
  expect((await app.guest.get("/collection", { cookie: `envkeep_session=${planted}` })).status).toBe(401)

  // If the attacker plants their own session, it ends instead of becoming the victim's.
  const own = /envkeep_session=([\w-]+)/.exec(attacker.cookie)?.[1] ?? ""
  await login(own)
  expect((await attacker.get("/collection")).status).toBe(401)
})

testOnce("every login gives a new random token", async () => {
  const app = await testApp()
  const ann = await app.user()
  const tokens = new Set<string>()
  for (let n = 0; n < 5; n++) {
    await ann.post("/users/login", { email: ann.email, password })
    tokens.add(/envkeep_session=([\w-]+)/.exec(ann.cookie)?.[1] ?? "")
  }
  expect(tokens.size).toBe(5)
  for (const token of tokens) expect(Buffer.from(token, "base64url")).toHaveLength(32)
})

testOnce("cookies have strict attributes, and under https a cookie without the __Host- prefix is ignored", async () => {
  const plain = await testApp()
  const form = { username: "ann", email: "ann@example.com", password, password2: password }
  await plain.guest.post("/users/register", form)
  const { headers } = await plain.guest.post("/users/login", { email: form.email, password })
  for (const cookie of headers["set-cookie"] as string[]) {
    expect(cookie).toMatch(/^envkeep_(session|device)=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; SameSite=Lax$/)
  }

  const secure = await testApp({ env: { PUBLIC_URL: "https://env.example.com" } })
  const ann = await secure.user()
  expect((await ann.get("/collection")).status).toBe(200)
  const bare = ann.cookie.replaceAll("__Host-", "")
  expect((await secure.guest.get("/collection", { cookie: bare })).status).toBe(401)
  const ended = String((await ann.post("/users/logout")).headers["set-cookie"])
  expect(ended).toMatch(/^__Host-envkeep_session=; .*Path=\/; .*HttpOnly; Secure; SameSite=Lax/)
})

testOnce(
  "a password is compared exactly: its case, surrounding spaces and all of its 255 characters count",
  async () => {
    const { guest } = await testApp()
    const whole = ` Ключ й 🔑 ${"x".repeat(244)} `
    expect(Array.from(whole)).toHaveLength(255)
    const form = { username: "ann", email: "ann@example.com", password: whole, password2: whole }
    expect((await guest.post("/users/register", form)).status).toBe(201)
    const login = async (secret: string) =>
      (await guest.post("/users/login", { email: form.email, password: secret })).status
    for (const other of [
      whole.trim(),
      whole.toLowerCase(),
      whole.slice(0, -1),
      whole.slice(0, 72),
      whole.normalize("NFD"),
    ]) {
      expect(await login(other)).toBe(401)
    }
    expect(await login(whole)).toBe(200)
    const long = `${whole}xx`
    const tooLong = await guest.post("/users/register", { ...form, password: long, password2: long })
    expect(tooLong).toMatchObject({ status: 400, body: { msg: "Password can be at most 256 characters" } })
    expect(await login(long)).toBe(400)
  },
)

testOnce("there are no default accounts, and common names and passwords do not work", async () => {
  const app = await testApp()
  expect(await app.db.selectFrom("user").selectAll().execute()).toEqual([])
  for (const [email, secret] of [
    ["admin@example.com", "password"],
    ["admin", "admin"],
    ["root", "root"],
    ["envkeep", "envkeep"],
  ]) {
    expect((await app.guest.post("/users/login", { email, password: secret })).status).toBe(401)
  }
})

testOnce("with a new password, no browser is known any more but the one in which it was set", async () => {
  const app = await testApp()
  const ann = await app.user()
  const thief = person(app.app)
  expect((await thief.post("/users/login", { email: ann.email, password })).status).toBe(200)
  const next = "a password that he has not seen"
  await ann.put("/users/password", { oldPassword: password, password: next, password2: next })
  const guess = () => person(app.app).post("/users/login", { email: ann.email, password: "a guess of many" })
  for (let n = 0; n < 10; n++) expect((await guess()).status).toBe(401)
  expect((await thief.post("/users/login", { email: ann.email, password: "another guess" })).status).toBe(429)
  expect((await ann.post("/users/login", { email: ann.email, password: next })).status).toBe(200)
})
