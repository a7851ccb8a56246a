import {
  type Collection,
  type CollectionMember,
  type Invitation,
  type NewInvitation,
  sentences,
  type Team,
  type User,
} from "@envkeep/contract"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"
import { theServer } from "../../access/caller.ts"
import { purge } from "../../bounds/expiring-rows.ts"
import { purgeOf } from "../../jobs/purges.ts"
import { disableAccount, enableAccount } from "../users/administration.ts"

const idOf = async (one: Person) => (await one.get<User>("/users/me")).body.data.id
const look = (by: Person, { secret }: { secret: string }) => by.post("/invitations/look", { secret })
const accept = (by: Person, { secret }: { secret: string }) => by.post("/invitations/accept", { secret })

async function invite(by: Person, path: string, body: object = {}): Promise<NewInvitation> {
  return (await by.post<NewInvitation>(`${path}/invitations`, body)).body.data
}

async function withCollection(env: Record<string, string> = {}) {
  const app = await testApp({ env })
  const [ann, bob] = [await app.user(), await app.user()]
  const { id } = await ann.collection()
  const role = async (one: Person) => (await one.get<Collection>(`/collection/${id}`)).body.data?.role
  return { app, ann, bob, id, path: `/collections/${id}`, role }
}

const paused = { status: 409, body: { error: true, msg: sentences.invitationPaused, data: null } }
const gone = (msg: string) => ({ status: 410, text: JSON.stringify({ error: true, msg, data: null }) })

test("an invitation says who invites to what, makes its holder a member, and is used up", async () => {
  const { app, ann, bob, id, path, role } = await withCollection()
  const made = await invite(ann, path, { role: "editor" })
  expect(made).toMatchObject({ role: "editor", uses: 0, maxUses: 1, state: "open", invitedBy: "someone" })
  expect(Date.parse(made.expiresAt) - Date.parse(made.createdAt)).toBe(7 * 24 * 3_600_000)
  expect(Buffer.from(made.secret, "base64url")).toHaveLength(32)
  const offer = { invitedBy: "someone", to: "collection", name: "app", role: "editor", expiresAt: made.expiresAt }
  for (const one of [app.guest, bob]) expect((await look(one, made)).body.data).toEqual(offer)
  expect(await accept(app.guest, made)).toMatchObject({ status: 401 })
  expect(await accept(bob, made)).toMatchObject({
    status: 200,
    body: { msg: "Invitation accepted", data: { collectionId: id, teamId: null } },
  })
  expect(await role(bob)).toBe("editor")
  for (const one of [app.guest, bob]) expect(await look(one, made)).toMatchObject(gone(sentences.invitationUsed))
  expect(await accept(await app.user(), made)).toMatchObject(gone(sentences.invitationUsed))
  const listed = (await ann.get<Invitation[]>(`${path}/invitations`)).body.data
  expect(listed).toEqual([{ ...made, secret: undefined, uses: 1, state: "used" }])
  const rows = JSON.stringify(await app.db.selectFrom("invitation").selectAll().execute())
  expect(rows).not.toContain(made.secret)
})

testOnce(
  "a role that is not stronger changes nothing and uses nothing up; a stronger one replaces the weaker",
  async () => {
    const { ann, bob, path, role } = await withCollection()
    await ann.post(`${path}/members`, { who: bob.email, role: "reader" })
    const weaker = await invite(ann, path, { role: "viewer" })
    expect(await accept(bob, weaker)).toMatchObject({ status: 200 })
    expect(await accept(ann, weaker)).toMatchObject({ status: 200 })
    expect([await role(ann), await role(bob)]).toEqual(["owner", "reader"])
    const stronger = await invite(ann, path, { role: "maintainer", maxUses: 2 })
    await accept(bob, stronger)
    await accept(bob, stronger)
    expect(await role(bob)).toBe("maintainer")
    const listed = (await ann.get<Invitation[]>(`${path}/invitations`)).body.data
    expect(listed.map(({ uses, state }) => [uses, state])).toEqual([
      [1, "open"],
      [0, "open"],
    ])
  },
)

test("an invitation cannot be used more often than it says, even at the same time", async () => {
  const { app, ann, id, path } = await withCollection()
  const people = await Promise.all(Array.from({ length: 4 }, () => app.user()))
  for (const maxUses of [1, 2]) {
    const made = await invite(ann, path, { role: "viewer", maxUses })
    const answers = await Promise.all(people.map((one) => accept(one, made)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(maxUses)
    const members = (await ann.get<{ people: CollectionMember[] }>(`${path}/members`)).body.data.people
    expect(members).toHaveLength(1 + maxUses)
    await app.db.deleteFrom("collection_member").where("collection_id", "=", id).where("role", "=", "viewer").execute()
  }
})

test("a revoked or expired invitation says so, and not what it was for", async () => {
  const { app, ann, bob, path } = await withCollection()
  const revoked = await invite(ann, path, { role: "viewer" })
  expect((await ann.delete(`${path}/invitations/${revoked.id}`)).body.msg).toBe("Invitation revoked successfully")
  const expired = await invite(ann, path, { role: "viewer", days: 1 })
  await app.db
    .updateTable("invitation")
    .set({ expires_at: Date.now() - 1 })
    .where("id", "=", expired.id)
    .execute()
  for (const try_ of [look, accept]) {
    expect(await try_(bob, revoked)).toMatchObject(gone(sentences.invitationRevoked))
    expect(await try_(bob, expired)).toMatchObject(gone(sentences.invitationExpired))
    expect(await try_(bob, { secret: "unknown" })).toMatchObject({
      status: 404,
      body: { msg: sentences.invitationUnknown, data: null },
    })
  }
  expect(await ann.delete(`${path}/invitations/${revoked.id + 1_000}`)).toMatchObject({
    status: 404,
    body: { msg: "Invitation not found" },
  })
  const other = await ann.collection()
  expect((await ann.delete(`/collections/${other.id}/invitations/${revoked.id}`)).status).toBe(404)

  const longAgo = Date.now() - 31 * 24 * 3_600_000
  await app.db.updateTable("invitation").set({ expires_at: longAgo }).where("id", "=", expired.id).execute()
  await purge(app.core, purgeOf("invitation"))
  expect((await look(bob, expired)).status).toBe(404)
  expect((await look(bob, revoked)).status).toBe(410)
})

test("an invitation is paused while its inviter may not invite, and while the collection is in the trash", async () => {
  const { app, ann, bob, id, path } = await withCollection()
  const [cat, dan] = [await app.user(), await app.user()]
  for (const one of [bob, cat]) await ann.post(`${path}/members`, { who: one.email, role: "maintainer" })
  const [byBob, byCat, byAnn] = [
    await invite(bob, path, { role: "editor" }),
    await invite(cat, path, { role: "editor" }),
    await invite(ann, path, { role: "owner" }),
  ]
  await ann.put(`${path}/members/${await idOf(bob)}`, { role: "editor" })
  const catId = await idOf(cat)
  await disableAccount(app.core, theServer, catId)
  for (const made of [byBob, byCat]) expect(await accept(dan, made)).toMatchObject(paused)
  const states = async () => (await ann.get<Invitation[]>(`${path}/invitations`)).body.data.map(({ state }) => state)
  expect(await states()).toEqual(["open", "paused", "paused"])
  // No one has revoked them: they are open again with the rights of their inviters, unless someone does.
  await ann.delete(`${path}/invitations/${byCat.id}`)
  await ann.put(`${path}/members/${await idOf(bob)}`, { role: "maintainer" })
  await enableAccount(app.core, theServer, catId)
  expect(await states()).toEqual(["open", "revoked", "open"])
  expect((await look(dan, byBob)).status).toBe(200)
  expect(await look(dan, byCat)).toMatchObject(gone(sentences.invitationRevoked))
  await ann.put(`${path}/members/${await idOf(bob)}`, { role: "editor" })
  await app.db.updateTable("invitation").set({ uses: 1 }).where("id", "=", byBob.id).execute()
  expect(await states()).toEqual(["open", "revoked", "used"])
  await ann.delete(`/collection/${id}`)
  expect(await look(dan, byAnn)).toMatchObject(paused)
  await ann.post(`/trash/collections/${id}/restore`)
  expect((await look(dan, byAnn)).status).toBe(200)

  await ann.post(`${path}/members`, { who: dan.email, role: "owner" })
  await dan.put(`${path}/members/${await idOf(ann)}`, { role: "maintainer" })
  expect(await look(bob, byAnn)).toMatchObject(paused)
})

test("an invitation to a team makes a member of the team", async () => {
  const { ann, bob, id, path, role } = await withCollection()
  const { id: teamId } = (await ann.post<Team>("/teams", { name: "backend" })).body.data
  await ann.post(`${path}/teams`, { teamId, role: "editor" })
  const made = await invite(ann, `/teams/${teamId}`, { maxUses: 3, days: 30 })
  expect((await look(bob, made)).body.data).toMatchObject({ to: "team", name: "backend", role: null })
  expect((await accept(bob, made)).body.data).toEqual({ collectionId: null, teamId })
  expect((await accept(bob, made)).status).toBe(200)
  expect(await role(bob)).toBe("editor")
  expect((await ann.get(`/teams/${teamId}/invitations`)).body.data).toMatchObject([{ uses: 1, state: "open" }])
  expect((await bob.get<Collection>(`/collection/${id}`)).status).toBe(200)
  await ann.delete(`/teams/${teamId}`)
  expect((await look(bob, made)).status).toBe(404)
})

const register = ({ app }: TestApp, email: string, invitation?: string) =>
  person(app).post("/users/register", {
    username: "new",
    email,
    password,
    password2: password,
    ...(invitation === undefined ? {} : { invitation }),
  })

test("registering with an invitation makes the account and accepts it, or does neither", async () => {
  const { app, ann, id, path } = await withCollection()
  const made = await invite(ann, path, { role: "reader" })
  expect(await register(app, "new@example.com", made.secret)).toMatchObject({ status: 201 })
  expect(await register(app, "second@example.com", made.secret)).toMatchObject(gone(sentences.invitationUsed))
  expect(await register(app, "second@example.com", "unknown")).toMatchObject({ status: 404 })
  const emails = await app.db.selectFrom("user").select("email").where("username", "=", "new").execute()
  expect(emails).toEqual([{ email: "new@example.com" }])
  const members = (await ann.get<{ people: CollectionMember[] }>(`${path}/members`)).body.data.people
  expect(members).toMatchObject([{ username: "new", role: "reader" }, { role: "owner" }])
  const events = await app.db
    .selectFrom("audit_event")
    .select(["action", "account_name as name"])
    .where("collection_id", "=", id)
    .where("action", "like", "invitation.%")
    .orderBy("id")
    .execute()
  expect(events).toEqual([
    { action: "invitation.create", name: "someone" },
    { action: "invitation.accept", name: "new" },
  ])
})

testOnce("a server can be for invited people only, or closed", async () => {
  const open = await testApp()
  expect((await open.guest.get("/users/registration")).body.data).toEqual({ mode: "open" })
  const { location } = open
  const admin = await open.admin()
  const { secret } = await invite(admin, "/admin", { maxUses: 2 })
  expect((await look(open.guest, { secret })).body.data).toMatchObject({ to: "account", name: null, role: null })
  expect((await accept(admin, { secret })).body.data).toEqual({ collectionId: null, teamId: null })

  const invited = await testApp({ location, env: { ENVKEEP_REGISTRATION: "invited" } })
  expect((await invited.guest.get("/users/registration")).body.data).toEqual({ mode: "invited" })
  // A taken e-mail is not revealed either.
  expect(await register(invited, admin.email)).toMatchObject({
    status: 403,
    body: { msg: sentences.registrationInvited },
  })
  expect(await register(invited, admin.email, "unknown")).toMatchObject({ status: 404 })
  expect(await register(invited, "a@example.com", secret)).toMatchObject({ status: 201 })

  const closed = await testApp({ location, env: { ENVKEEP_REGISTRATION: "closed" } })
  expect(await register(closed, "b@example.com", secret)).toMatchObject({
    status: 403,
    body: { msg: sentences.registrationClosed },
  })
  expect((await admin.get("/admin/invitations")).body.data).toMatchObject([{ uses: 1, maxUses: 2, state: "open" }])
})

testOnce("there can be a hundred open invitations, and guesses at secrets are limited", async () => {
  const { app, ann, path } = await withCollection()
  const invitations = Array.from({ length: 101 }, () => ann.post(`${path}/invitations`, { role: "viewer" }))
  await Promise.all(invitations)
  expect(await ann.post(`${path}/invitations`, { role: "viewer" })).toMatchObject({
    status: 400,
    body: { msg: sentences.tooManyInvitations },
  })
  const guesses = await Promise.all(Array.from({ length: 301 }, () => look(app.guest, { secret: "guess" })))
  expect(guesses.filter(({ status }) => status === 404)).toHaveLength(300)
  expect(guesses.find(({ status }) => status === 429)?.body.msg).toMatch(/^Too many attempts/)
})
