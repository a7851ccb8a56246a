import type { ActivityPage, CreatedToken, Environment, Token } from "@envkeep/contract"
import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"
import { theServer } from "../../access/caller.ts"
import { checksum } from "../../keys/token.ts"
import { disableAccount, enableAccount } from "../users/administration.ts"

// Which calls a token of each scope makes, and what a limited one finds, is in test/access.test.ts.

async function createToken(user: Person, settings: object = {}): Promise<CreatedToken> {
  const { body } = await user.post<CreatedToken>("/users/me/tokens", { name: "ci", scope: "manage", ...settings })
  return body.data
}

const notValid = { status: 401, body: { error: true, msg: "This token is not valid", data: null } }

test("a token is shown once, stands for its user, and is refused once it is revoked", async () => {
  const app = await testApp()
  const ann = await app.user("ann@example.com")
  const { token, ...made } = await createToken(ann, { name: " ci ", scope: "read", days: 30 })
  expect(made).toMatchObject({ name: "ci", scope: "read", collections: null, isExpired: false, lastUse: null })
  expect(Date.parse(made.expiresAt ?? "") - Date.parse(made.createdAt)).toBe(30 * 24 * 3_600_000)
  expect(token).toMatch(/^ept_[0-9A-Za-z]{46}$/)
  expect(token.slice(-6)).toBe(checksum(token.slice(0, -6)))
  expect((await ann.get<Token[]>("/users/me/tokens")).body.data).toEqual([made])
  expect(JSON.stringify(await app.db.selectFrom("token").selectAll().execute())).not.toContain(token)

  const program = person(app.app, "", token)
  expect(await program.get("/users/me")).toMatchObject({ status: 200, body: { data: { email: "ann@example.com" } } })
  expect(await ann.delete(`/users/me/tokens/${made.id}`)).toMatchObject({ body: { msg: "Token revoked successfully" } })
  expect(await program.get("/users/me")).toMatchObject(notValid)
  expect(await program.get("/collection")).toMatchObject(notValid)
})

testOnce("an unknown, an expired and a disabled account's token get the same answer", async () => {
  const app = await testApp()
  const ann = await app.user("ann@example.com")
  const [expired, usable] = [await createToken(ann, { name: "old", days: 30 }), await createToken(ann)]
  await app.db.updateTable("token").set({ expires_at: Date.now() }).where("id", "=", expired.id).execute()
  const answers = [
    await person(app.app, "", "ept_unknown").get("/collection"),
    await person(app.app, "", expired.token).get("/collection"),
  ]
  const user = await app.db.selectFrom("user").select("id").executeTakeFirstOrThrow()
  const program = person(app.app, "", usable.token)
  await disableAccount(app.core, theServer, user.id)
  answers.push(await program.get("/collection"))
  for (const answer of answers) expect(answer).toMatchObject(notValid)
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
  await enableAccount(app.core, theServer, user.id)
  expect(await program.get("/collection")).toMatchObject({ status: 200 })
  await ann.post("/users/login", { email: ann.email, password: "correct horse battery staple" })
  const listed = (await ann.get<Token[]>("/users/me/tokens")).body.data
  expect(listed.map(({ name, isExpired }) => [name, isExpired])).toEqual([
    ["ci", false],
    ["old", true],
  ])
})

testOnce("with a token the cookie does not count, and neither does where the request comes from", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { token } = await createToken(bob)
  const authorization = `Bearer ${token}`
  const { id } = (await ann.post<{ id: number }>("/collection", { name: "bob's" }, { authorization })).body.data
  expect(await bob.get(`/collection/${id}`)).toMatchObject({ status: 200 })
  expect(await ann.get(`/collection/${id}`)).toMatchObject({ status: 404 })
  expect(await ann.get("/collection", { authorization: "Bearer ept_wrong" })).toMatchObject(notValid)

  const elsewhere = { origin: "https://elsewhere.example", "sec-fetch-site": "cross-site" }
  expect(await ann.post("/collection", { name: "x" }, { authorization, ...elsewhere })).toMatchObject({ status: 201 })
  expect(await ann.post("/collection", { name: "x" }, elsewhere)).toMatchObject({ status: 403 })
  // What a proxy sends for itself is not a token.
  expect(await ann.get("/collection", { authorization: "Bearer proxy" })).toMatchObject({ status: 200 })
})

test("a token is limited to collections that its user can see, and only as long as they are there", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const [one, other, bobs] = [await ann.collection("one"), await ann.collection("other"), await bob.collection("bobs")]
  const refused = await ann.post("/users/me/tokens", {
    name: "ci",
    scope: "read",
    collectionIds: [one.id, bobs.id],
  })
  expect(refused).toMatchObject({ status: 404, body: { msg: "Collection not found" } })
  expect((await ann.get("/users/me/tokens")).body.data).toEqual([])

  const made = await createToken(ann, { collectionIds: [one.id, one.id] })
  expect(made.collections).toEqual([{ id: one.id, name: "one" }])
  const program = person(app.app, "", made.token)
  expect(await program.get(`/collection/${other.id}`)).toMatchObject({ status: 404 })
  expect(await program.delete(`/collection/${one.id}`)).toMatchObject({ status: 200 })
  await ann.purge("collections", one)
  expect((await program.get("/collection")).body.data).toEqual([])
  expect((await ann.get<Token[]>("/users/me/tokens")).body.data).toMatchObject([{ collections: [] }])
})

testOnce(
  "a token signs no one in: it changes neither passwords, sessions, tokens nor who is an administrator",
  async () => {
    const app = await testApp()
    const [admin, ann] = [await app.admin(), await app.user()]
    const { id } = (await ann.get<{ id: number }>("/users/me")).body.data
    const program = person(app.app, "", (await createToken(admin)).token)
    const account = `/admin/users/${id}`
    const refused = { status: 403, body: { msg: "This cannot be done with a token. Please log in" } }
    for (const path of ["reset-link", "grant-admin", "revoke-admin"]) {
      expect([path, await program.post(`${account}/${path}`)]).toMatchObject([path, refused])
    }
    expect(await program.post("/users/me/tokens", { name: "more", scope: "manage" })).toMatchObject(refused)
    expect(await program.post("/users/me/sessions/end-others")).toMatchObject(refused)
    expect(await program.put("/users/password", {})).toMatchObject(refused)
    expect(await program.put("/users", { username: "ann", email: "new@example.com" })).toMatchObject(refused)
    expect(await program.post("/users/me/delete", { password: "correct horse battery staple" })).toMatchObject(refused)
    for (const path of ["end-sessions", "disable", "enable"]) {
      expect([path, await program.post(`${account}/${path}`)]).toMatchObject([path, { status: 200 }])
    }
  },
)

test("names are unique, and an account has at most 100 tokens", async () => {
  const app = await testApp()
  const ann = await app.user()
  await createToken(ann)
  const create = (body: object) => ann.post("/users/me/tokens", { name: "x", scope: "read", ...body })
  expect(await create({ name: "ci" })).toMatchObject({
    status: 409,
    body: { msg: "You already have a token with that name" },
  })
  expect(await create({ name: " " })).toMatchObject({ status: 400, body: { msg: "Name is required" } })
  expect(await create({ scope: "all" })).toMatchObject({
    status: 400,
    body: { msg: "The scope must be one of names, read, write, manage" },
  })
  expect(await create({ days: 31 })).toMatchObject({
    status: 400,
    body: { msg: "The days must be one of 30, 90, 365" },
  })
  const { id } = await app.db.selectFrom("user").select("id").executeTakeFirstOrThrow()
  const rows = Array.from({ length: 98 }, (_, at) => ({
    user_id: id,
    name: `token ${at}`,
    token_hash: `hash ${at}`,
    scope: "read" as const,
    is_limited: 0,
    created_at: 0,
    expires_at: null,
  }))
  await app.db.insertInto("token").values(rows).execute()
  const answers = await Promise.all([create({ name: "one more" }), create({ name: "two more" })])
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
  expect(answers.find(({ status }) => status === 400)?.body.msg).toBe("An account can have at most 100 tokens")
})

test("the last use is written down, and what a token does is recorded with its name", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { token } = await createToken(ann, { name: "deploy" })
  const program = person(app.app, "", token)
  await program.post("/collection", { name: "app" }, { "user-agent": "curl/8.5.0 (x)" })
  const { events } = (await ann.get<ActivityPage>("/users/me/activity")).body.data
  const tokens = events.map(({ action, token }) => [action, token])
  expect(tokens).toContainEqual(["token.create", "deploy"])
  expect(tokens).toContainEqual(["collection.create", "deploy"])
  expect(tokens).toContainEqual(["session.begin", null])

  // A job writes it down every few seconds, and so does the end.
  await app.close()
  const { db } = await testApp({ location: app.location })
  const row = await db.selectFrom("token").selectAll().executeTakeFirstOrThrow()
  expect(row).toMatchObject({ last_used_by: "curl/8.5.0", last_used_from: "127.0.0.0/24" })
  expect(Math.abs(Date.now() - Number(row.last_used_at))).toBeLessThan(600_000)
})

testOnce("a live stream by token tells what its token reaches, and ends when it is revoked", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const { id, token } = await createToken(ann, { scope: "names", collectionIds: [environment.collectionId] })
  const events = await liveStream(app, environment, token)
  expect((await events.next()).value).toMatchObject({ event: "state" })
  await ann.item(environment, "A", "a value")
  expect((await events.next()).value).toMatchObject({ event: "environment" })
  await ann.delete(`/users/me/tokens/${id}`)
  expect((await events.next()).value).toMatchObject({ event: "gone" })
})

async function liveStream({ app }: TestApp, { collectionId }: Environment, token: string) {
  const url = await app.listen({ port: 0, host: "127.0.0.1" })
  const headers = { authorization: `Bearer ${token}` }
  return readEvents(await fetch(`${url}/api/collections/${collectionId}/live`, { headers }))
}
