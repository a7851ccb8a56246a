import { sentences, type User } from "@envkeep/contract"
import { password, testApp } from "@envkeep/testing/app.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { person } from "@envkeep/testing/person.ts"
import { expect, test, vi } from "vitest"
import { theServer } from "../../access/caller.ts"
import { purge } from "../../bounds/expiring-rows.ts"
import { purgeOf } from "../../jobs/purges.ts"

const form = { username: "ann", email: "Ann@example.com", password, password2: password }

testOnce("a guest gets no user instead of an error", async () => {
  const { guest } = await testApp()
  expect(await guest.get("/users/me")).toMatchObject({ status: 200, body: { error: false, data: null } })
})

test("a user can register, and log in with their e-mail in any case", async () => {
  const { guest } = await testApp()

  const registered = await guest.post<User>("/users/register", form)
  const user = { id: registered.body.data.id, username: "ann", email: "Ann@example.com", isAdmin: false }
  expect(registered).toMatchObject({ status: 201, body: { error: false, msg: "Registered successfully", data: user } })
  expect((await guest.get("/users/me")).body.data).toBeNull()

  const loggedIn = await guest.post("/users/login", { email: " ANN@EXAMPLE.COM ", password })
  expect(loggedIn).toMatchObject({ status: 200, body: { error: false, data: user } })
  expect((await guest.get("/users/me")).body.data).toEqual(user)
  expect(JSON.stringify([registered, loggedIn])).not.toContain(password)
})

testOnce.each([
  ["nothing at all", undefined, "Please fill in all fields"],
  ["a blank username", { ...form, username: "  " }, "Please fill in all fields"],
  ["no password2", { ...form, password2: undefined }, "Please fill in all fields"],
  ["an empty e-mail", { ...form, email: "" }, "Please fill in all fields"],
  ["another password2", { ...form, password2: "other" }, "Passwords do not match"],
  ["two short passwords that differ", { ...form, password: "a", password2: "b" }, "Passwords do not match"],
  ["a short password", { ...form, password: "short", password2: "short" }, "Password must be at least 8 characters"],
  ["an invalid e-mail", { ...form, email: "ann" }, "Please enter a valid email address"],
  ["a long username", { ...form, username: "a".repeat(65) }, "Username can be at most 64 characters"],
  ["a number as the username", { ...form, username: 5 }, "Username must be text"],
  ["an unknown field", { ...form, isAdmin: true }, "Unknown field: isAdmin"],
])("registering with %s is refused in plain words", async (_, body, msg) => {
  const { guest } = await testApp()
  expect(await guest.post("/users/register", body)).toMatchObject({
    status: 400,
    body: { error: true, msg, data: null },
  })
})

test("an e-mail can be registered once, whatever its case", async () => {
  const { guest } = await testApp()
  const answers = await Promise.all([
    guest.post("/users/register", form),
    guest.post("/users/register", { ...form, email: "ANN@example.com" }),
  ])
  expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409])
  expect(answers.find((answer) => answer.status === 409)?.body.msg).toBe("This email is already registered")
})

testOnce("a wrong password and an unknown e-mail get the same answer", async () => {
  const { guest } = await testApp()
  await guest.post("/users/register", form)
  const wrong = await guest.post("/users/login", { email: form.email, password: "wrong password" })
  const unknown = await guest.post("/users/login", { email: "nobody@example.com", password })
  expect(wrong).toMatchObject({ status: 401, body: { error: true, msg: "Invalid credentials", data: null } })
  expect(unknown.text).toBe(wrong.text)
  expect(unknown.status).toBe(wrong.status)
})

testOnce.each([[{}], [{ email: "a@b" }], [{ email: "", password: "x" }], [{ email: "a@b", password: "" }]])(
  "logging in with %j asks for all fields",
  async (body) => {
    const { guest } = await testApp()
    expect(await guest.post("/users/login", body)).toMatchObject({
      status: 400,
      body: { msg: "Please fill in all fields" },
    })
  },
)

testOnce("the session cookie is HttpOnly, and under https its name starts with __Host-", async () => {
  const plain = await (await testApp()).user()
  expect(plain.cookie).toMatch(/^envkeep_device=[\w-]{43}; envkeep_session=[\w-]{43}$/)

  const secure = await testApp({ env: { PUBLIC_URL: "https://env.example.com" } })
  await secure.guest.post("/users/register", form)
  const { headers } = await secure.guest.post("/users/login", { email: form.email, password })
  expect(headers["set-cookie"]).toEqual([
    expect.stringMatching(
      /^__Host-envkeep_session=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    ),
    expect.stringMatching(
      /^__Host-envkeep_device=[\w-]{43}; Max-Age=7776000; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    ),
  ])
  expect(headers["strict-transport-security"]).toContain("max-age=")
})

testOnce("each login gives a new token and ends the browser's previous session", async () => {
  const app = await testApp()
  const ann = await app.user()
  const before = ann.cookie
  await ann.post("/users/login", { email: ann.email, password })
  expect(ann.cookie).not.toBe(before)
  const old = await app.guest.get("/collection", { cookie: before })
  expect(old.status).toBe(401)
})

testOnce("logging out ends the session on the server, not only in the browser", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { cookie } = ann
  expect(await ann.post("/users/logout")).toMatchObject({ status: 200, body: { msg: "Logged out successfully" } })

  const stolen = await app.guest.get("/users/me", { cookie })
  expect(stolen.body.data).toBeNull()
  expect(String(stolen.headers["set-cookie"])).toContain("envkeep_session=;")
})

test("a session ends after 30 idle days, and after 90 days in any case", async () => {
  const app = await testApp()
  const day = 24 * 3_600_000
  const [idle, old, fresh] = [await app.user(), await app.user(), await app.user()]
  const age = (person: { email: string }, column: "seen_at" | "created_at", days: number) =>
    app.db
      .updateTable("session")
      .set({ [column]: Date.now() - days * day })
      .where("user_id", "=", (eb) => eb.selectFrom("user").select("id").where("email", "=", person.email))
      .execute()
  await age(idle, "seen_at", 30)
  await age(old, "created_at", 90)
  await age(fresh, "seen_at", 29)
  await age(fresh, "created_at", 89)
  expect((await idle.get("/collection")).status).toBe(401)
  expect((await old.get("/collection")).status).toBe(401)
  expect((await fresh.get("/collection")).status).toBe(200)
  await vi.waitFor(async () => {
    const { seen_at } = await app.db
      .selectFrom("session")
      .select((eb) => eb.fn.max("seen_at").as("seen_at"))
      .executeTakeFirstOrThrow()
    expect(Number(seen_at)).toBeGreaterThan(Date.now() - day)
  }, eventually)
})

test("a request does not wait for the note that its session was used", async () => {
  const app = await testApp()
  const ann = await app.user()
  const longAgo = Date.now() - 2 * 3_600_000
  await app.db.updateTable("session").set({ seen_at: longAgo }).execute()
  const [started, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const changing = app.core.change(theServer, "account.update", async (tx) => {
    await tx.updateTable("session").set({ seen_at: longAgo }).execute()
    started.resolve()
    await end.promise
  })
  await started.promise
  for (let n = 0; n < 5; n++) expect((await ann.get("/collection")).status).toBe(200)
  end.resolve()
  await changing
  await vi.waitFor(async () => {
    const { seen_at } = await app.db.selectFrom("session").select("seen_at").executeTakeFirstOrThrow()
    expect(seen_at).toBeGreaterThan(longAgo)
  }, eventually)
})

test("a user can have 100 sessions, and a login ends the oldest beyond that", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { id: annsId } = (await ann.get<User>("/users/me")).body.data
  const times = { created_at: Date.now(), seen_at: Date.now() }
  const rows = Array.from({ length: 2_500 }, (_, n) => ({ user_id: annsId, token_hash: `${n}`, ...times }))
  await app.db.insertInto("session").values(rows).execute()
  const login = await app.guest.post("/users/login", { email: ann.email, password })
  expect(login.status).toBe(200)

  const left = await app.db
    .selectFrom("session")
    .select("token_hash")
    .where("user_id", "=", annsId)
    .orderBy("id")
    .execute()
  expect(left.slice(0, -1).map((row) => row.token_hash)).toEqual(rows.slice(-99).map((row) => row.token_hash))
  expect((await ann.get("/collection")).status).toBe(401)
  expect((await bob.get("/collection")).status).toBe(200)
})

test("expired sessions and attempts are purged, however many there are", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { id } = (await ann.get<User>("/users/me")).body.data
  const numbers = Array.from({ length: 2_500 }, (_, n) => `${n}`)
  const sessions = numbers.map((n) => ({ user_id: id, token_hash: n, created_at: Date.now(), seen_at: 1 }))
  await app.db.insertInto("session").values(sessions).execute()
  const attempts = numbers.map((n) => ({ bucket: n, count: 1, resets_at: 1 }))
  await app.db.insertInto("attempt").values(attempts).execute()
  await purge(app.core, purgeOf("session"))
  await purge(app.core, purgeOf("attempt"))
  expect(await app.db.selectFrom("session").select("user_id").execute()).toEqual([{ user_id: id }])
  expect(await app.db.selectFrom("attempt").select("bucket").where("resets_at", "=", 1).execute()).toEqual([])
  expect(await app.db.selectFrom("attempt").select("bucket").execute()).not.toEqual([])
})

test("a user can change their name and e-mail, but not to another user's e-mail", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]

  const changed = await ann.put<User>("/users", { username: "Ann B.", email: "ann.b@example.com" })
  expect(changed).toMatchObject({
    status: 200,
    body: { msg: "User updated successfully", data: { username: "Ann B.", email: "ann.b@example.com" } },
  })
  expect((await ann.get<User>("/users/me")).body.data).toEqual(changed.body.data)

  const taken = await ann.put("/users", { username: "Ann", email: bob.email.toUpperCase() })
  expect(taken).toMatchObject({ status: 409, body: { error: true, msg: "This email is already registered" } })
  const blank = await ann.put("/users", { username: " ", email: "ann@example.com" })
  expect(blank).toMatchObject({ status: 400, body: { msg: "Please fill all the fields" } })
})

testOnce("one mailbox has one account, however the domain of its address is written", async () => {
  const app = await testApp()
  const register = (email: string) => person(app.app).post("/users/register", { ...form, email })
  expect((await register("ann@bücher.example")).status).toBe(201)
  for (const domain of ["BÜCHER.example", "xn--bcher-kva.example", "bücher。example", "ｂücher.example"]) {
    const again = await register(`Ann@${domain}`)
    expect([domain, again.status, again.body.msg]).toEqual([domain, 409, "This email is already registered"])
    const login = await person(app.app).post<User>("/users/login", { email: `ann@${domain}`, password })
    expect([domain, login.body.data.email]).toEqual([domain, "ann@bücher.example"])
  }
  // What the parser of URLs would take for the same domain is another one.
  expect((await register("ann@bücher.example/x")).status).toBe(201)
})

test("a save with the email of before, while that is being changed, does not bring it back unconfirmed", async () => {
  const started = Promise.withResolvers<void>()
  const [read, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let isSaving = false
  const app = await testApp({
    logQuery: ({ query: { sql } }) => {
      if (isSaving && /"user"\."username".* from "user" where "id" = \S+$/.test(sql)) read.resolve()
    },
  })
  const ann = await app.user("ann@example.com")
  await app.db.updateTable("session").set({ confirmed_at: 0 }).execute()
  const changing = app.core.change(theServer, "account.update", async (tx) => {
    await tx.updateTable("user").set({ email: "new@example.com", email_key: "new@example.com" }).execute()
    started.resolve()
    await end.promise
  })
  await started.promise
  isSaving = true
  const saving = ann.put("/users", { username: "Ann", email: ann.email })
  // It has read the email that is about to be replaced.
  await read.promise
  end.resolve()
  await changing
  expect(await saving).toMatchObject({ status: 403, body: { msg: sentences.confirmFirst } })
  const user = await app.db.selectFrom("user").select(["username", "email"]).executeTakeFirstOrThrow()
  expect(user).toEqual({ username: "someone", email: "new@example.com" })
})

testOnce("changing the password ends the other sessions and keeps this one", async () => {
  const app = await testApp()
  const here = await app.user()
  const { cookie: elsewhere } = here
  const other = { cookie: elsewhere }
  here.forget()
  await here.post("/users/login", { email: here.email, password })

  const next = "a new password"
  const answer = await here.put("/users/password", { oldPassword: password, password: next, password2: next })
  expect(answer).toMatchObject({ status: 200, body: { msg: "Password updated successfully", data: null } })
  expect((await here.get("/collection")).status).toBe(200)
  expect((await app.guest.get("/collection", other)).status).toBe(401)
  expect((await app.guest.post("/users/login", { email: here.email, password })).status).toBe(401)
  expect((await app.guest.post("/users/login", { email: here.email, password: next })).status).toBe(200)
})

testOnce.each([
  [{}, "Please fill all the fields"],
  [{ oldPassword: password, password: "a new password", password2: "" }, "Please fill all the fields"],
  [{ oldPassword: password, password: "a new password", password2: "another one" }, "Passwords do not match"],
  [{ oldPassword: password, password: "short", password2: "short" }, "Password must be at least 8 characters"],
  [{ oldPassword: "wrong", password: "a new password", password2: "a new password" }, "Old password is incorrect"],
])("a password change with %j is refused in plain words", async (body, msg) => {
  const ann = await (await testApp()).user()
  expect(await ann.put("/users/password", body)).toMatchObject({ status: 400, body: { error: true, msg } })
  expect((await ann.post("/users/login", { email: ann.email, password })).status).toBe(200)
})

test("no login with the old password survives a password change made at the same time", async () => {
  const app = await testApp()
  const ann = await app.user()
  const next = "a new password"
  const others = Array.from({ length: 8 }, () => person(app.app))
  const [changed, ...logins] = await Promise.all([
    ann.put("/users/password", { oldPassword: password, password: next, password2: next }),
    ...others.map((other) => other.post("/users/login", { email: ann.email, password })),
  ])
  expect(changed.status).toBe(200)
  for (const { status } of logins) expect([200, 401]).toContain(status)
  const still = await Promise.all(others.map((other) => other.get("/collection")))
  expect(still.map((answer) => answer.status)).toEqual(others.map(() => 401))
  expect((await ann.get("/collection")).status).toBe(200)
})

test("of two password changes at the same time, one succeeds and keeps its session", async () => {
  const app = await testApp()
  const ann = await app.user()
  const elsewhere = person(app.app, ann.email)
  await elsewhere.post("/users/login", { email: ann.email, password })
  const change = (browser: typeof ann, next: string) =>
    browser.put("/users/password", { oldPassword: password, password: next, password2: next })
  const answers = await Promise.all([change(ann, "password one"), change(elsewhere, "password two")])
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 400])
  const winner = answers[0]?.status === 200 ? ann : elsewhere
  expect((await winner.get("/collection")).status).toBe(200)
})

testOnce("e-mails that differ only in invisible or equivalent characters cannot be two accounts", async () => {
  const { guest } = await testApp()
  const register = (email: string) => guest.post("/users/register", { ...form, email })
  expect((await register("ΑΣ@example.com")).status).toBe(201)
  expect((await register("ας@example.com")).status).toBe(409)
  expect((await register("a\u200bnn@example.com")).status).toBe(400)
  expect((await register("a\u0001nn@example.com")).status).toBe(400)
})

testOnce("a password's length is counted in characters, not in UTF-16 code units", async () => {
  const { guest } = await testApp()
  const register = (secret: string) => guest.post("/users/register", { ...form, password: secret, password2: secret })
  expect((await register("🗝🗝🗝🗝")).body.msg).toBe("Password must be at least 8 characters")
  expect((await register("🗝".repeat(8))).status).toBe(201)
})

testOnce("a password hash with weaker parameters is replaced at the next login", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { hash } = await import("@node-rs/argon2")
  const weak = await hash(password, { memoryCost: 8_192, timeCost: 1, parallelism: 1 })
  await app.db.updateTable("user").set({ password_hash: weak }).execute()
  expect((await ann.post("/users/login", { email: ann.email, password })).status).toBe(200)
  const { password_hash } = await app.db.selectFrom("user").select("password_hash").executeTakeFirstOrThrow()
  expect(password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
})
