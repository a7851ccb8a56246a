import type { AccountSummary, ActivityPage, accounts, OutputOf, PasskeyCreation, User } from "@envkeep/contract"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { setUpTotp } from "@envkeep/testing/authenticator.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { authenticator } from "@envkeep/testing/passkeys.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { expect, test, vi } from "vitest"

const idOf = async (person: Person) => (await person.get<User>("/users/me")).body.data.id

async function list(admin: Person, query = ""): Promise<OutputOf<typeof accounts.list>> {
  return (await admin.get<OutputOf<typeof accounts.list>>(`/admin/users${query}`)).body.data
}

const emails = (users: AccountSummary[]) => users.map(({ email }) => email)

const logIn = async ({ guest }: TestApp, { email }: Person) =>
  (await guest.post("/users/login", { email, password })).status

test("the list of accounts says how much each owns, and no name of it", async () => {
  const app = await testApp()
  const [admin, ann] = [await app.admin(), await app.user("ann@example.com")]
  const environment = await ann.environment("secret environment")
  await ann.item(environment, "SECRET_NAME", "a value of some length")
  await ann.apiKey(environment, "secret key")
  await ann.delete(`/collection/${(await ann.collection("in the trash")).id}`)

  const { body, text } = await admin.get<OutputOf<typeof accounts.list>>("/admin/users?search=ann@")
  const { usedBytes } = (await ann.get<{ usedBytes: number }>("/users/me/storage")).body.data
  expect(body.data).toEqual({
    total: 1,
    users: [
      {
        id: await idOf(ann),
        username: "someone",
        email: "ann@example.com",
        isAdmin: false,
        isDisabled: false,
        hasSecondFactor: false,
        createdAt: expect.any(String),
        lastSignInAt: expect.any(String),
        collections: 1,
        items: 1,
        bytes: usedBytes,
      },
    ],
  })
  expect(text).not.toMatch(/secret|SECRET|trash/)
})

test("the list says who has a second factor: an app that is confirmed, or a passkey", async () => {
  const app = await testApp()
  const admin = await app.admin()
  const [none, begun, totp, passkey] = [await app.user(), await app.user(), await app.user(), await app.user()]
  await begun.post("/users/me/totp")
  await setUpTotp(totp)
  const creation = await passkey.post<PasskeyCreation>("/users/me/passkeys/begin")
  await passkey.post("/users/me/passkeys", { name: "laptop", answer: authenticator().create(creation.body.data) })
  const withFactor = async (query: string) =>
    new Set((await list(admin, query)).users.filter(({ hasSecondFactor }) => hasSecondFactor).map(({ email }) => email))
  // One is read in the order of an index, the other by looking at all accounts.
  for (const query of ["?sort=email", "?sort=bytes"]) {
    expect(await withFactor(query)).toEqual(new Set([totp.email, passkey.email]))
  }
  await totp.delete("/users/me/totp")
  expect(await withFactor("")).toEqual(new Set([passkey.email]))
  expect((await list(admin, "?search=no such account")).users).toEqual([])
  expect((await list(admin, `?search=${none.email}`)).users).toMatchObject([{ hasSecondFactor: false }])
})

testOnce("an e-mail is found by its domain as it was typed and as mail servers write it", async () => {
  const app = await testApp()
  const admin = await app.admin()
  await app.user("ann@Bücher.example")
  for (const search of ["bÜcher", "ann@bücher.example", "xn--bcher"]) {
    expect(emails((await list(admin, `?search=${search}`)).users)).toEqual(["ann@Bücher.example"])
  }
})

testOnce("accounts are searched in any case and alphabet, sorted, and filtered", async () => {
  const app = await testApp()
  const admin = await app.admin()
  for (const [username, email] of [
    ["Ärzte 50%", "c@example.com"],
    ["zoe", "Ann_B@example.com"],
    ["Yann", "b@example.com"],
  ]) {
    await app.guest.post("/users/register", { username, email, password, password2: password })
  }
  const bea = await app.user("bea@example.com")
  await bea.environment()
  await bea.collection()

  expect(emails((await list(admin, "?search=ÄRZTE")).users)).toEqual(["c@example.com"])
  expect(emails((await list(admin, "?search=ANN&sort=email")).users)).toEqual(["Ann_B@example.com", "b@example.com"])
  expect(emails((await list(admin, "?search=ann&sort=username&order=desc")).users)).toEqual([
    "Ann_B@example.com",
    "b@example.com",
  ])
  expect((await list(admin, "?search=0%25")).total).toBe(1)
  expect(await list(admin, "?search=nothing like it")).toEqual({ users: [], total: 0 })
  for (const sort of ["collections", "bytes", "lastSignIn"]) {
    expect((await list(admin, `?sort=${sort}&order=desc`)).users[0]?.email).toBe(bea.email)
  }
  // In the order of an index, and of a search that finds all.
  for (const sort of ["email", "lastSignIn"]) {
    expect(emails((await list(admin, `?sort=${sort}`)).users)).toEqual(
      emails((await list(admin, `?sort=${sort}&search=@example`)).users),
    )
  }
  expect(emails((await list(admin, "?show=admins")).users)).toEqual([admin.email])
  expect(await list(admin, "?show=disabled")).toEqual({ users: [], total: 0 })
})

test("the list has pages, each account is on one of them", async () => {
  const app = await testApp()
  const admin = await app.admin()
  const rows = Array.from({ length: 119 }, (_, index) => ({
    username: `user ${index % 7}`,
    email: `u${index}@pages.test`,
    email_key: `u${index}@pages.test`,
    password_hash: "none",
    is_admin: 0,
    created_at: index,
  }))
  await app.db.insertInto("user").values(rows).execute()
  for (const query of ["", "&sort=bytes&order=desc", "&search=e&sort=lastSignIn", "&sort=email&order=desc"]) {
    const pages = [1, 2, 3, 4].map((page) => list(admin, `?page=${page}${query}`))
    const found = await Promise.all(pages)
    expect(found.map(({ users, total }) => [users.length, total])).toEqual([
      [50, 120],
      [50, 120],
      [20, 120],
      [0, 120],
    ])
    expect(new Set(found.flatMap(({ users }) => emails(users))).size).toBe(120)
  }
  expect((await admin.get("/admin/users?page=0")).body.msg).toBe("A page must be a whole number from 1 to 100000")
})

test("a search lets the database look through the accounts, and reads the few that may match", async () => {
  const reads: string[] = []
  const app = await testApp({
    logQuery: ({ query: { sql } }) => {
      if (/from "user" where "id" > /.test(sql)) reads.push(sql)
    },
  })
  const admin = await app.admin()
  const rows = Array.from({ length: 3_000 }, (_, index) => ({
    username: index === 1_500 ? "ÅSA_1500" : `user ${index}`,
    email: `u${index}@search.test`,
    email_key: `u${index}@search.test`,
    password_hash: "none",
    is_admin: 0,
    created_at: index,
  }))
  for (const at of [0, 1_000, 2_000])
    await app.db
      .insertInto("user")
      .values(rows.slice(at, at + 1_000))
      .execute()
  const search = async (query: string) => {
    reads.length = 0
    const { users, total } = await list(admin, query)
    return { names: users.map(({ username }) => username), total, reads: reads.length }
  }
  expect(await search("?search=U2999@")).toEqual({ names: ["user 2999"], total: 1, reads: 1 })
  expect(await search("?search=USER 29")).toMatchObject({ total: 111, reads: 1 })
  expect(await search("?search=åsa_")).toEqual({ names: ["ÅSA_1500"], total: 1, reads: 1 })
  expect(await search("?show=disabled")).toEqual({ names: [], total: 0, reads: 1 })
  // All of them match, so they are read some at a time.
  expect(await search("?sort=bytes&page=61")).toEqual({ names: ["user 2999"], total: 3_001, reads: 4 })
})

testOnce("a login is the last sign-in of its account, a refused one is not", async () => {
  const app = await testApp()
  const admin = await app.admin()
  await app.guest.post("/users/register", { username: "ann", email: "ann@example.com", password, password2: password })
  const lastSignIn = async () => (await list(admin, "?search=ann@")).users[0]?.lastSignInAt
  await app.guest.post("/users/login", { email: "ann@example.com", password: "a wrong password" })
  expect(await lastSignIn()).toBeNull()
  vi.useFakeTimers({ now: Date.parse("2099-01-02T03:04:05Z"), toFake: ["Date"] })
  const login = await app.guest.post("/users/login", { email: "ann@example.com", password })
  vi.useRealTimers()
  expect([login.status, await lastSignIn()]).toEqual([200, "2099-01-02T03:04:05.000Z"])
})

testOnce("an administrator disables and enables an account, with its sessions and keys", async () => {
  const app = await testApp()
  const [admin, ann] = [await app.admin(), await app.user()]
  const { key } = await ann.apiKey(await ann.environment())
  const id = await idOf(ann)

  expect(await admin.post(`/admin/users/${id}/disable`)).toMatchObject({
    status: 200,
    body: { msg: "Account disabled" },
  })
  expect((await list(admin, "?show=disabled")).users).toMatchObject([{ id, isDisabled: true }])
  expect([(await ann.get("/collection")).status, await logIn(app, ann)]).toEqual([401, 403])
  expect((await app.guest.variables(key)).status).toBe(401)
  expect((await admin.post(`/admin/users/${id}/disable`)).status).toBe(200)

  expect((await admin.post(`/admin/users/${id}/enable`)).body.msg).toBe("Account enabled")
  expect([await logIn(app, ann), (await app.guest.variables(key)).status]).toEqual([200, 200])
})

testOnce(
  "an administrator ends sessions: all of another account, and of the own account all but the current one",
  async () => {
    const app = await testApp()
    const [admin, ann] = [await app.admin(), await app.user()]
    const { cookie } = admin
    expect((await app.guest.post("/users/login", { email: admin.email, password })).status).toBe(200)

    expect((await admin.post(`/admin/users/${await idOf(ann)}/end-sessions`)).body.msg).toBe("Sessions ended")
    expect([(await ann.get("/collection")).status, await logIn(app, ann)]).toEqual([401, 200])

    const other = await app.guest.post("/users/login", { email: admin.email, password })
    expect(other.status).toBe(200)
    await admin.post(`/admin/users/${await idOf(admin)}/end-sessions`)
    expect((await app.guest.get("/collection")).status).toBe(401)
    expect((await admin.get("/hrkljush", { cookie })).status).toBe(200)
  },
)

testOnce("an administrator's reset link sets a password once, and is kept as a hash only", async () => {
  const app = await testApp()
  const [admin, ann] = [await app.admin(), await app.user()]
  const made = await admin.post<{ token: string; expiresAt: string }>(`/admin/users/${await idOf(ann)}/reset-link`)
  const { token, expiresAt } = made.body.data
  expect(Math.abs(Date.parse(expiresAt) - Date.now() - 24 * 3_600_000)).toBeLessThan(60_000)
  const reset = () => app.guest.post("/users/password/reset", { token, password, password2: password })
  expect([(await reset()).status, (await reset()).body.msg]).toEqual([200, "This link has been used already"])
  const stored = JSON.stringify([
    await app.db.selectFrom("password_reset").selectAll().execute(),
    await app.db.selectFrom("audit_event").selectAll().execute(),
  ])
  expect(stored).not.toContain(token)
})

test("there is always an administrator who can log in, and none disables the own account", async () => {
  const app = await testApp()
  const [admin, ann] = [await app.admin(), await app.user()]
  const [adminId, annId] = [await idOf(admin), await idOf(ann)]
  const last = "This is the last administrator. Make another account one first"
  expect(await admin.post(`/admin/users/${adminId}/revoke-admin`)).toMatchObject({ status: 409, body: { msg: last } })
  expect(await admin.post(`/admin/users/${adminId}/disable`)).toMatchObject({
    status: 409,
    body: { msg: "You cannot disable your own account" },
  })

  expect((await admin.post(`/admin/users/${annId}/grant-admin`)).body.msg).toBe("The account is now an administrator")
  expect((await ann.get("/hrkljush")).status).toBe(200)
  // Both at the same time: one of them stays.
  const both = await Promise.all([
    admin.post(`/admin/users/${annId}/revoke-admin`),
    ann.post(`/admin/users/${adminId}/revoke-admin`),
  ])
  expect((await app.db.selectFrom("user").select("id").where("is_admin", "=", 1).execute()).length).toBe(1)
  expect(both.map(({ status }) => status)).toContain(200)
})

test("each change of an account is an event: the administrator did it, and it happened to the account", async () => {
  const app = await testApp()
  const [admin, ann] = [await app.admin(), await app.user()]
  const [adminId, id] = [await idOf(admin), await idOf(ann)]
  const changes = ["grant-admin", "revoke-admin", "reset-link", "end-sessions", "disable", "enable"]
  for (const change of changes) await admin.post(`/admin/users/${id}/${change}`)
  const { events } = (await admin.get<ActivityPage>(`/admin/activity?personId=${adminId}`)).body.data
  expect(events.slice(0, changes.length).map(({ action, actor, account }) => [action, actor.id, account?.id])).toEqual(
    [
      "account.enable",
      "account.disable",
      "account.end-sessions",
      "account.reset-link",
      "admin.revoke",
      "admin.grant",
    ].map((action) => [action, adminId, id]),
  )
})

testOnce("an account that does not exist is not found", async () => {
  const admin = await (await testApp()).admin()
  for (const change of ["grant-admin", "revoke-admin", "reset-link", "end-sessions", "disable", "enable"]) {
    expect(await admin.post(`/admin/users/987654/${change}`)).toMatchObject({
      status: 404,
      body: { error: true, msg: "User not found", data: null },
    })
  }
})
