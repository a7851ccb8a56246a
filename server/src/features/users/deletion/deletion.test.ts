import {
  type AccountDeletion,
  type ActivityPage,
  type Collection,
  type CreatedToken,
  limits,
  type StorageUse,
  sentences,
  type Team,
  type User,
} from "@envkeep/contract"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { addCollections } from "@envkeep/testing/collections.ts"
import { admin } from "@envkeep/testing/commands.ts"
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

test("what the account owns alone is named, and must be deleted first", async () => {
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
    body: { msg: "You still own collections that no one else owns. Please give them away or delete them first" },
  })
  expect(await ann.get("/collection")).toMatchObject({ status: 200, body: { data: [{ name: "app" }] } })
})

test("what only a disabled account owns beside the caller counts as owned alone", async () => {
  const app = await testApp()
  const [payer, ann] = [await app.user(), await app.user()]
  const { collectionId } = await payer.environment()
  await payer.post(`/collections/${collectionId}/members`, { who: ann.email, role: "owner" })
  const payerId = (await payer.get<User>("/users/me")).body.data.id
  const ownedAlone = async () => (await ann.get<AccountDeletion>("/users/me/deletion")).body.data.ownedAlone
  expect(await ownedAlone()).toBe(0)
  await disableAccount(app.core, theServer, payerId)
  expect(await ownedAlone()).toBe(1)
  expect(await ann.post("/users/me/delete", { password })).toMatchObject({ status: 409 })
  // In the trash it is the payer's.
  await ann.delete(`/collection/${collectionId}`)
  expect(await ann.post("/users/me/delete", { password })).toMatchObject({ status: 200 })
  expect(await app.db.selectFrom("collection").select("owner_id").execute()).toEqual([{ owner_id: payerId }])
})

test("a wrong password deletes nothing, and guesses are limited", async () => {
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

test("what has another owner passes to that one with its keys, and teams keep an admin", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const environment = await ann.environment()
  await ann.item(environment, "NAME", "value")
  const { key } = await ann.apiKey(environment)
  const { id: teamId } = (await ann.post<{ id: number }>("/teams", { name: "team" })).body.data
  await ann.post(`/teams/${teamId}/members`, { who: bob.email })
  await ann.post(`/collections/${environment.collectionId}/members`, { who: bob.email, role: "owner" })
  const stored = (await ann.get<StorageUse>("/users/me/storage")).body.data.usedBytes

  expect(await ann.post("/users/me/delete", { password })).toMatchObject({ status: 200 })
  expect((await app.guest.variables(key)).text).toBe('{"NAME":"value"}')
  expect((await bob.get<Collection>(`/collection/${environment.collectionId}`)).body.data).toMatchObject({
    role: "owner",
  })
  expect((await bob.get<StorageUse>("/users/me/storage")).body.data.usedBytes).toBe(stored)
  expect((await bob.get<Team>(`/teams/${teamId}`)).body.data).toMatchObject({ isAdmin: true, memberCount: 1 })
})

test("the activity of a collection says that a member has gone with the account", async () => {
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

test("many collections pass to another owner in several changes, each with an event, and are counted to that one", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const bobId = (await bob.get<User>("/users/me")).body.data.id
  const large = await ann.environment()
  await ann.item(large, "NAME", "value")
  const { key } = await ann.apiKey(large)
  const ids = [large.collectionId, ...(await addCollections(app.db, ann, 2 * maxLeftAtOnce))]
  const owners = ids.map((collection_id) => ({ collection_id, user_id: bobId, role: "owner" as const, created_at: 0 }))
  await app.db
    .insertInto("collection_member")
    .values(owners)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  await admin(app.location, "recount")
  const stored = (await ann.get<StorageUse>("/users/me/storage")).body.data.usedBytes
  const before: object[] = []
  beforeDeletion(app, async () => {
    const handedOver = app.db.selectFrom("collection").select("id").where("owner_id", "=", bobId)
    const { usedBytes } = (await ann.get<StorageUse>("/users/me/storage")).body.data
    before.push({ handedOver: (await handedOver.execute()).length, usedBytes })
  })
  expect(await ann.post("/users/me/delete", { password })).toMatchObject({ status: 200 })
  // The first ones go with the account.
  const rest = stored - (maxLeftAtOnce + 1) * limits.rowBytes
  expect(before).toEqual([{ handedOver: maxLeftAtOnce + 1, usedBytes: rest }])
  expect((await bob.get<StorageUse>("/users/me/storage")).body.data.usedBytes).toBe(stored)
  expect((await app.guest.variables(key)).text).toBe('{"NAME":"value"}')
  const rows = await app.db.selectFrom("collection").select(["id", "owner_id"]).orderBy("id").execute()
  expect(rows).toEqual(ids.map((id) => ({ id, owner_id: bobId })))
  const events = app.db.selectFrom("audit_event").select("collection_id").where("action", "=", "member.leave")
  const told = (await events.execute()).map(({ collection_id }) => collection_id ?? 0)
  expect(told.toSorted((one, other) => one - other)).toEqual(ids)
})

test("what is handed over is not refused by the quota of the next owner", async () => {
  const app = await testApp({ env: { ENVKEEP_QUOTA_MB: "1" } })
  const [ann, bob] = [await app.user(), await app.user()]
  const fill = async (owner: Person) => {
    const environment = await owner.environment()
    const items = Array.from({ length: 12 }, (_, n) => ({ name: `NAME_${n}`, value: "v".repeat(60_000) }))
    expect(await owner.post(`/subcollection/${environment.id}/bulk`, items)).toMatchObject({ status: 200 })
    return environment
  }
  await fill(bob)
  const environment = await fill(ann)
  await ann.post(`/collections/${environment.collectionId}/members`, { who: bob.email, role: "owner" })
  expect(await ann.post("/users/me/delete", { password })).toMatchObject({ status: 200 })
  expect((await bob.get<StorageUse>("/users/me/storage")).body.data.usedBytes).toBeGreaterThan(1_400_000)
})

test("a team whose other admin is disabled gets one who can log in", async () => {
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
  const [ann, bob] = [await app.user(), await app.user()]
  const bobId = (await bob.get<User>("/users/me")).body.data.id
  const { id: small } = await ann.collection()
  await ann.delete(`/collection/${small}`)
  const large = await ann.environment()
  const items = Array.from({ length: 250 }, (_, n) => ({ name: `NAME_${n}`, value: "value" }))
  await ann.post(`/subcollection/${large.id}/bulk`, items)
  const shared = `/collections/${large.collectionId}/members`
  await ann.post(shared, { who: bob.email, role: "owner" })
  const answers: number[] = []
  beforeDeletion(app, async () => {
    if (answers.length > 0) return
    answers.push((await ann.delete(`${shared}/${bobId}`)).status)
    answers.push((await ann.delete(`/collection/${large.collectionId}`)).status)
    statements.length = 0
  })

  expect(await ann.post("/users/me/delete", { password })).toMatchObject({ status: 200 })
  expect(answers).toEqual([200, 200])
  const deletions = (table: string) => statements.filter((sql) => sql.startsWith(`delete from "${table}" `))
  // A hundred rows at a time. With the account they would all go in one statement.
  expect([deletions("item"), deletions("item_version")].map(({ length }) => length)).toEqual([3, 3])
  expect(await app.db.selectFrom("collection").select("id").execute()).toEqual([])
  expect(await app.db.selectFrom("user").select("id").execute()).toEqual([{ id: bobId }])
})

test("an account whose trash fills again and again stays, and its user is told so", async () => {
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
