import type { ActivityPage, CliLogin, CreatedToken, Token, User } from "@envkeep/contract"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"
import { purge } from "../../bounds/expiring-rows.ts"
import { purgeOf } from "../../jobs/purges.ts"

type Begun = { deviceCode: string; userCode: string; expiresAt: string }
type Polled = { state: string; token: CreatedToken | null }

const begin = async ({ guest }: TestApp, machine = "ann's laptop") =>
  (await guest.post<Begun>("/cli/logins", { machine })).body.data
const poll = async ({ guest }: TestApp, { deviceCode }: Begun) =>
  (await guest.post<Polled>("/cli/logins/poll", { deviceCode })).body.data
const approve = (user: Person, { userCode }: Begun, more: object = {}) =>
  user.post("/cli/logins/approve", { userCode, scope: "write", ...more })

const unknown = {
  status: 400,
  body: { msg: "There is no login with this code. It may have expired: start again in your terminal", data: null },
}

test("a machine gets a token once its user has approved it, and only once", async () => {
  const app = await testApp()
  const ann = await app.user()
  const begun = await begin(app)
  expect(await poll(app, begun)).toEqual({ state: "pending", token: null })
  // People type it as they like.
  const typed = begun.userCode.toLowerCase().replace("-", " ")
  const { body } = await ann.post<CliLogin>("/cli/logins/look", { userCode: typed })
  expect(body.data).toEqual({
    userCode: begun.userCode,
    machine: "ann's laptop",
    from: "127.0.0.0/24",
    expiresAt: begun.expiresAt,
  })
  expect(await approve(ann, begun, { days: 30 })).toMatchObject({ status: 200, body: { msg: "Login approved" } })
  expect(await ann.get("/users/me/tokens")).toMatchObject({ body: { data: [] } })

  const polls = await Promise.all([poll(app, begun), poll(app, begun)])
  expect(polls.map(({ state }) => state).toSorted()).toEqual(["approved", "expired"])
  const made = polls.find(({ token }) => token !== null)?.token as CreatedToken
  expect(made).toMatchObject({ name: "envkeep CLI on ann's laptop", scope: "write", collections: null })
  expect(Date.parse(made.expiresAt ?? "") - Date.parse(made.createdAt)).toBe(30 * 24 * 3_600_000)
  expect(await poll(app, begun)).toEqual({ state: "expired", token: null })
  expect(await app.db.selectFrom("cli_login").selectAll().execute()).toEqual([])

  const machine = person(app.app, "", made.token)
  expect((await machine.get<Token>("/users/me/token")).body.data).toMatchObject({ id: made.id, scope: "write" })
  expect(await machine.delete("/users/me/token")).toMatchObject({ body: { msg: "Token revoked successfully" } })
  expect(await machine.get("/users/me")).toMatchObject({ status: 401 })
  const { events } = (await ann.get<ActivityPage>("/users/me/activity")).body.data
  const token = "envkeep CLI on ann's laptop"
  const about = events.filter(({ action }) => action.startsWith("token."))
  expect(about.map((event) => [event.action, event.token])).toEqual([
    ["token.revoke", token],
    ["token.create", token],
    ["token.approve", token],
  ])
})

testOnce("a denied login and one of another user's decision can no longer be approved", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const [denied, approved] = [await begin(app), await begin(app)]
  expect(await ann.post("/cli/logins/deny", { userCode: denied.userCode })).toMatchObject({ status: 200 })
  expect(await poll(app, denied)).toEqual({ state: "denied", token: null })
  await approve(ann, approved)
  for (const begun of [denied, approved]) {
    for (const user of [ann, bob]) expect(await approve(user, begun)).toMatchObject(unknown)
    expect(await bob.post("/cli/logins/look", { userCode: begun.userCode })).toMatchObject(unknown)
    expect(await bob.post("/cli/logins/deny", { userCode: begun.userCode })).toMatchObject(unknown)
  }
  const { token } = await poll(app, approved)
  const machine = person(app.app, "", token?.token ?? "")
  expect(await machine.get("/users/me")).toMatchObject({ body: { data: { email: ann.email } } })
  expect((await bob.get("/users/me/tokens")).body.data).toEqual([])
})

test("a login expires after ten minutes, decided or not, and is then deleted", async () => {
  const app = await testApp()
  const ann = await app.user()
  const [waiting, approved] = [await begin(app), await begin(app)]
  expect(Math.abs(Date.parse(waiting.expiresAt) - Date.now() - 600_000)).toBeLessThan(60_000)
  await approve(ann, approved)
  await app.db.updateTable("cli_login").set({ expires_at: Date.now() }).execute()
  for (const begun of [waiting, approved]) expect(await poll(app, begun)).toEqual({ state: "expired", token: null })
  expect(await approve(ann, waiting)).toMatchObject(unknown)
  expect((await ann.get("/users/me/tokens")).body.data).toEqual([])
  await purge(app.core, purgeOf("cli_login"))
  expect(await app.db.selectFrom("cli_login").selectAll().execute()).toEqual([])
})

testOnce("neither code is stored, guesses are limited, and right codes do not count", async () => {
  const app = await testApp()
  const ann = await app.user()
  const begun = await begin(app)
  const stored = JSON.stringify(await app.db.selectFrom("cli_login").selectAll().execute())
  expect([stored.includes(begun.deviceCode), stored.includes(begun.userCode)]).toEqual([false, false])
  const look = (userCode: string) => ann.post("/cli/logins/look", { userCode })
  for (let n = 0; n < 25; n++) expect((await look(begun.userCode)).status).toBe(200)
  for (let n = 0; n < 20; n++) expect(await look("BBBB-BBBB")).toMatchObject(unknown)
  const tooMany = { status: 429, body: { msg: "Too many attempts. Please try again in 15 minutes" } }
  expect(await look(begun.userCode)).toMatchObject(tooMany)
  expect(await approve(ann, begun)).toMatchObject(tooMany)
})

test("a second login of a machine has a name of its own, and a full account or server says so", async () => {
  const app = await testApp()
  const ann = await app.user()
  const names = []
  for (const _ of [1, 2]) {
    const begun = await begin(app)
    await approve(ann, begun)
    names.push((await poll(app, begun)).token?.name)
  }
  expect(names).toEqual(["envkeep CLI on ann's laptop", "envkeep CLI on ann's laptop (2)"])
  expect(await ann.delete("/users/me/token")).toMatchObject({
    status: 400,
    body: { msg: "This call was not made with a token" },
  })

  const { id } = await app.db.selectFrom("user").select("id").executeTakeFirstOrThrow()
  const token = { user_id: id, scope: "read" as const, is_limited: 0, created_at: 0, expires_at: null }
  const tokens = Array.from({ length: 98 }, (_, at) => ({ ...token, name: `${at}`, token_hash: `${at}` }))
  await app.db.insertInto("token").values(tokens).execute()
  const full = { status: 400, body: { msg: "An account can have at most 100 tokens" } }
  expect(await approve(ann, await begin(app))).toMatchObject(full)

  await app.db.deleteFrom("cli_login").execute()
  const login = { machine: "x", address: "", state: "pending" as const, user_id: null, scope: null, days: null }
  const times = { created_at: 0, expires_at: Date.now() + 600_000 }
  for (let start = 0; start < 1_000; start += 500) {
    const rows = Array.from({ length: 500 }, (_, at) => `${start + at}`)
    await app.db
      .insertInto("cli_login")
      .values(rows.map((hash) => ({ ...login, ...times, device_hash: hash, user_code_hash: hash })))
      .execute()
  }
  const refused = await app.guest.post("/cli/logins", { machine: "one more" })
  expect([refused.status, refused.body.msg]).toEqual([
    429,
    "Too many logins are waiting to be confirmed. Please try again in a few minutes",
  ])
})

testOnce("the addresses of one network do not take all places of those who wait", async () => {
  const app = await testApp()
  const from = async (remoteAddress: string) =>
    (await app.guest.send({ method: "POST", url: "/api/cli/logins", payload: { machine: "x" }, remoteAddress })).status
  for (let at = 0; at < 300; at++) expect(await from(`2001:db8:1:${(at % 7).toString(16)}::1`)).toBe(200)
  expect(await from("2001:db8:1:99::1")).toBe(429)
  expect(await from("2001:db8:2::1")).toBe(200)
})

test("an approval that no machine has used yet ends with a new password, and with the account", async () => {
  const app = await testApp()
  const [ann, bob, admin] = [await app.user(), await app.user(), await app.admin()]
  const [hers, his] = [await begin(app), await begin(app)]
  expect([(await approve(ann, hers)).status, (await approve(bob, his)).status]).toEqual([200, 200])
  await ann.put("/users/password", { oldPassword: password, password, password2: password })
  const { id } = (await bob.get<User>("/users/me")).body.data
  expect((await admin.post(`/admin/users/${id}/disable`)).status).toBe(200)
  for (const login of [hers, his]) expect(await poll(app, login)).toEqual({ state: "expired", token: null })
})
