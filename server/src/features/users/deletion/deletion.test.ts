import {
  type AccountDeletion,
  type ActivityPage,
  type Collection,
  type CreatedToken,
  type StorageUse,
  sentences,
  type Team,
  type User,
} from "@envkeep/contract"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { addCollections } from "@envkeep/testing/collections.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"
import { theServer } from "../../../access/caller.ts"
import { disableAccount } from "../administration.ts"
import { maxLeftAtOnce } from "./leave.ts"
import { deleteAccount } from "./rules.ts"

test("an account is deleted with its password, its trash and its tokens, and its name stays in the activity", async () => {
  const { app, db, ...rest } = await testApp()
  const [ann, admin] = [await rest.user(), await rest.admin()]
  const environment = await ann.environment()
  await ann.item(environment, "NAME")
  const { key } = await ann.apiKey(environment)
  const { body: created } = await ann.post<CreatedToken>("/users/me/tokens", { name: "ci", scope: "read" })
  await ann.delete(`/collection/${environment.collectionId}`)
  expect((await ann.get<AccountDeletion>("/users/me/deletion")).body.data).toEqual({
    collections: [],
    ownedAlone: 0,
    trashedCount: 1,
    isLastAdmin: false,
  })

  expect(await ann.post("/users/me/delete", { password })).toMatchObject({
    status: 200,
    body: { msg: "Account deleted successfully" },
  })
  expect((await ann.get("/users/me")).body.data).toBe(null)
  expect(await ann.post("/users/login", { email: ann.email, password })).toMatchObject({ status: 401 })
  expect(await person(app, "", created.data.token).get("/collection")).toMatchObject({ status: 401 })
  expect(await rest.guest.variables(key)).toMatchObject({ status: 401 })
  for (const table of ["collection", "environment", "item", "item_version", "api_key", "token"] as const) {
    expect([table, await db.selectFrom(table).selectAll().execute()]).toEqual([table, []])
  }
  const { events } = (await admin.get<ActivityPage>("/admin/activity")).body.data
  expect(events.find(({ action }) => action === "account.delete")).toMatchObject({
    actor: { kind: "user", name: "someone" },
    account: { name: "someone" },
  })
})

test("what the account pays for is named, and must be deleted or taken over first", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  await ann.item(environment, "NAME")
  const deletion = (await ann.get<AccountDeletion>("/users/me/deletion")).body.data
  expect(deletion).toMatchObject({
    collections: [{ id: environment.collectionId, name: "app", environmentCount: 1, itemCount: 1 }],
    ownedAlone: 1,
  })
  expect(await ann.post("/users/me/delete", { password })).toMatchObject({
    status: 409,
    body: {
      msg: "Your account still pays for collections. Please delete them, or let another member take them over first",
    },
  })
  expect(await ann.get("/collection")).toMatchObject({ status: 200, body: { data: [{ name: "app" }] } })
})

testOnce("an owner who does not pay deletes the account at once, whoever is left", async () => {
  const app = await testApp()
  const [payer, ann] = [await app.user(), await app.user()]
  const { collectionId } = await payer.environment()
  await payer.post(`/collections/${collectionId}/members`, { who: ann.email, role: "owner" })
  await disableAccount(app.core, theServer, (await payer.get<User>("/users/me")).body.data.id)
  expect((await ann.get<AccountDeletion>("/users/me/deletion")).body.data).toMatchObject({ ownedAlone: 0 })
  expect(await ann.post("/users/me/delete", { password })).toMatchObject({ status: 200 })
  expect(await app.db.selectFrom("collection").select("id").execute()).toEqual([{ id: collectionId }])
})

testOnce("a wrong password deletes nothing, and guesses are limited", async () => {
  const ann = await (await testApp()).user()
  expect(await ann.post("/users/me/delete", { password: "" })).toMatchObject({
    status: 400,
    body: { msg: "Please fill all the fields" },
  })
  for (let guess = 0; guess < 10; guess++) {
    expect(await ann.post("/users/me/delete", { password: "wrong password" })).toMatchObject({
      status: 400,
      body: { msg: "Password is incorrect" },
    })
  }
  expect(await ann.post("/users/me/delete", { password })).toMatchObject({ status: 429 })
  expect(await ann.get("/collection")).toMatchObject({ status: 200 })
})

test("the last administrator stays, and of two who leave at the same time one does", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.admin(), await app.admin()]
  const answers = await Promise.all([ann, bob].map((admin) => admin.post("/users/me/delete", { password })))
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(answers.find(({ status }) => status === 409)?.body.msg).toBe(
    "This is the last administrator. Make another account one first",
  )
})

test("another owner decides whether to pay for what an account leaves, and teams keep an admin", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const environment = await ann.environment()
  await ann.item(environment, "NAME", "value")
  const { key } = await ann.apiKey(environment)
  const { id: teamId } = (await ann.post<{ id: number }>("/teams", { name: "team" })).body.data
  await ann.post(`/teams/${teamId}/members`, { who: bob.email })
  await ann.post(`/collections/${environment.collectionId}/members`, { who: bob.email, role: "owner" })
  const usedBytes = async (by: Person) => (await by.get<StorageUse>("/users/me/storage")).body.data.usedBytes
  const stored = await usedBytes(ann)

  const refused = { status: 409, body: { msg: sentences.ownsCollections } }
  expect((await ann.get<AccountDeletion>("/users/me/deletion")).body.data).toMatchObject({ ownedAlone: 1 })
  expect(await ann.post("/users/me/delete", { password })).toMatchObject(refused)
  expect(await usedBytes(bob)).toBe(0)

  expect(await bob.post(`/collections/${environment.collectionId}/take-over`)).toMatchObject({ status: 200 })
  expect(await ann.post("/users/me/delete", { password })).toMatchObject({ status: 200 })
  expect((await app.guest.variables(key)).text).toBe('{"NAME":"value"}')
  expect((await bob.get<Collection>(`/collection/${environment.collectionId}`)).body.data).toMatchObject({
    role: "owner",
  })
  expect(await usedBytes(bob)).toBe(stored)
  expect((await bob.get<Team>(`/teams/${teamId}`)).body.data).toMatchObject({ isAdmin: true, memberCount: 1 })
})

testOnce("what an account has in the trash goes with it, also if others own it too", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { collectionId } = await ann.environment()
  await ann.post(`/collections/${collectionId}/members`, { who: bob.email, role: "owner" })
  await bob.delete(`/collection/${collectionId}`)
  expect((await ann.get<AccountDeletion>("/users/me/deletion")).body.data).toMatchObject({
    ownedAlone: 0,
    trashedCount: 1,
  })
  expect(await ann.post("/users/me/delete", { password })).toMatchObject({ status: 200 })
  expect(await app.db.selectFrom("collection").select("id").execute()).toEqual([])
})

testOnce("the activity of a collection says that a member has gone with the account", async () => {
  const app = await testApp()
  const [ann, bob, eve] = [await app.user(), await app.user(), await app.user()]
  const { id } = await ann.collection()
  for (const [member, role] of [
    [bob, "owner"],
    [eve, "reader"],
  ] as const) {
    await ann.post(`/collections/${id}/members`, { who: member.email, role })
  }
  const { id: eveId, username: name } = (await eve.get<User>("/users/me")).body.data
  await bob.post(`/collections/${id}/take-over`)
  await ann.post("/users/me/delete", { password })
  await deleteAccount(app.core, eveId)
  const { events } = (await bob.get<ActivityPage>(`/collections/${id}/activity?kind=people`)).body.data
  expect(events.slice(0, 2).map(({ action, actor, account }) => [action, actor.kind, account])).toMatchObject([
    ["member.remove", "server", { id: eveId, name }],
    ["member.leave", "user", { name }],
  ])
})

test("an account leaves many collections in several changes, and so do its teams, each with an event", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { id: user_id } = (await ann.get<User>("/users/me")).body.data
  const { id: team_id } = (await ann.post<Team>("/teams", { name: "team" })).body.data
  const ids = await addCollections(app.db, bob, 2 * maxLeftAtOnce + 1)
  const row = { role: "reader" as const, created_at: 0 }
  const memberships = ids.map((collection_id) => ({ ...row, collection_id, user_id }))
  await app.db.insertInto("collection_member").values(memberships).execute()
  const shares = ids.map((collection_id) => ({ ...row, collection_id, team_id }))
  await app.db.insertInto("collection_team").values(shares).execute()
  const left: object[] = []
  beforeDeletion(app, async () => {
    const members = app.db.selectFrom("collection_member").select("id").where("user_id", "=", user_id)
    const teams = app.db.selectFrom("collection_team").select("id")
    left.push({ members: (await members.execute()).length, teams: (await teams.execute()).length })
  })
  expect(await ann.post("/users/me/delete", { password })).toMatchObject({ status: 200 })
  expect(left).toEqual([{ members: maxLeftAtOnce, teams: maxLeftAtOnce }])
  for (const action of ["member.leave", "member.remove-team"]) {
    const events = app.db.selectFrom("audit_event").select("collection_id").where("action", "=", action)
    const told = (await events.execute()).map(({ collection_id }) => collection_id ?? 0)
    expect(told.toSorted((one, other) => one - other)).toEqual(ids)
  }
})

testOnce("a team whose other admin is disabled gets one who can log in", async () => {
  const app = await testApp()
  const [ann, disabled, bob] = [await app.user(), await app.user(), await app.user()]
  const { id } = (await ann.post<{ id: number }>("/teams", { name: "team" })).body.data
  await ann.post(`/teams/${id}/members`, { who: disabled.email, isAdmin: true })
  await ann.post(`/teams/${id}/members`, { who: bob.email })
  await disableAccount(app.core, theServer, (await disabled.get<User>("/users/me")).body.data.id)
  expect(await ann.post("/users/me/delete", { password })).toMatchObject({ status: 200 })
  expect((await bob.get<Team>(`/teams/${id}`)).body.data).toMatchObject({ isAdmin: true, memberCount: 2 })
})

test("the keys of a disabled account's collection stop when the account of the last other member is deleted", async () => {
  const app = await testApp()
  const ann = await app.user()
  const shareDirectly = async (collectionId: number) => {
    const last = await app.user()
    await ann.post(`/collections/${collectionId}/members`, { who: last.email, role: "reader" })
    return last
  }
  const shareWithTeam = async (collectionId: number) => {
    const last = await app.user()
    const teamId = (await last.post<Team>("/teams", { name: "team" })).body.data.id
    await last.post(`/teams/${teamId}/members`, { who: ann.email })
    await ann.post(`/collections/${collectionId}/teams`, { teamId, role: "reader" })
    await ann.post(`/teams/${teamId}/leave`)
    return last
  }
  const shared = []
  for (const share of [shareDirectly, shareWithTeam]) {
    const environment = await ann.environment()
    shared.push({ last: await share(environment.collectionId), key: (await ann.apiKey(environment)).key })
  }
  await disableAccount(app.core, theServer, (await ann.get<User>("/users/me")).body.data.id)
  for (const { last, key } of shared) {
    expect(await app.guest.variables(key)).toMatchObject({ status: 200 })
    expect(await last.post("/users/me/delete", { password })).toMatchObject({ status: 200 })
    expect(await app.guest.variables(key)).toMatchObject({ status: 401 })
  }
})

/** What happens each time when the trash has been emptied and the account is about to go. */
function beforeDeletion({ core }: TestApp, happens: () => Promise<void>): void {
  const { change } = core
  core.change = async (caller, action, work) => {
    if (action === "account.delete") await happens()
    return change(caller, action, work)
  }
}

test("what another session moves to the trash in the last moment is deleted in pieces too", async () => {
  const statements: string[] = []
  const app = await testApp({ logQuery: ({ query }) => void statements.push(query.sql) })
  const ann = await app.user()
  const { id: small } = await ann.collection()
  await ann.delete(`/collection/${small}`)
  const items = Array.from({ length: 250 }, (_, n) => ({ name: `NAME_${n}`, value: "value" }))
  const answers: number[] = []
  beforeDeletion(app, async () => {
    if (answers.length > 0) return
    const large = await ann.environment()
    answers.push((await ann.post(`/subcollection/${large.id}/bulk`, items)).status)
    answers.push((await ann.delete(`/collection/${large.collectionId}`)).status)
    statements.length = 0
  })

  expect(await ann.post("/users/me/delete", { password })).toMatchObject({ status: 200 })
  expect(answers).toEqual([200, 200])
  const deletions = (table: string) => statements.filter((sql) => sql.startsWith(`delete from "${table}" `))
  // A hundred rows at a time. With the account they would all go in one statement.
  expect([deletions("item"), deletions("item_version")].map(({ length }) => length)).toEqual([3, 3])
  expect(await app.db.selectFrom("collection").select("id").execute()).toEqual([])
  expect(await app.db.selectFrom("user").select("id").execute()).toEqual([])
})

testOnce("an account whose trash fills again and again stays, and its user is told so", async () => {
  const app = await testApp()
  const ann = await app.user()
  let rounds = 0
  beforeDeletion(app, async () => {
    rounds++
    const { id } = await ann.collection()
    await ann.delete(`/collection/${id}`)
  })
  expect(await ann.post("/users/me/delete", { password })).toMatchObject({
    status: 409,
    body: { msg: sentences.deletionBegun },
  })
  expect(rounds).toBe(5)
  expect(await ann.get("/trash")).toMatchObject({ status: 200, body: { data: { total: 1 } } })
})
