import {
  type ActivityPage,
  type Call,
  type Collection,
  calls,
  sentences,
  type Team,
  type TeamSummary,
  type User,
} from "@envkeep/contract"
import { allCalls } from "@envkeep/testing/all-calls.ts"
import { testApp } from "@envkeep/testing/app.ts"
import { addCollections } from "@envkeep/testing/collections.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import type { CompiledQuery } from "kysely"
import { expect, test } from "vitest"
import { maxUnsharedAtOnce } from "./rules.ts"

const idOf = async (person: Person) => (await person.get<User>("/users/me")).body.data.id

/** Ann's team with bob in it, which reads a collection of ann's. */
async function withTeam() {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { id } = (await ann.post<TeamSummary>("/teams", { name: "backend" })).body.data
  const [annId, bobId] = [await idOf(ann), await idOf(bob)]
  await ann.post(`/teams/${id}/members`, { who: bob.email })
  const environment = await ann.environment()
  await ann.post(`/collections/${environment.collectionId}/teams`, { teamId: id, role: "reader" })
  const { collectionId } = environment
  return { app, ann, bob, annId, bobId, id, path: `/teams/${id}`, environment, collectionId }
}

test("a team is shown to its members, with who is in it and what it reaches", async () => {
  const { app, ann, bob, annId, bobId, id, path, collectionId } = await withTeam()
  const team = { id, name: "backend", memberCount: 2, collectionCount: 1 }
  expect((await ann.get("/teams")).body.data).toEqual([{ ...team, isAdmin: true }])
  expect((await bob.get(path)).body.data).toEqual({
    ...team,
    isAdmin: false,
    members: [
      { userId: annId, username: "someone", email: ann.email, isAdmin: true },
      { userId: bobId, username: "someone", email: bob.email, isAdmin: false },
    ],
    collections: [{ id: collectionId, name: "app", role: "reader" }],
  })
  expect((await (await app.user()).get("/teams")).body.data).toEqual([])
  expect(await ann.put(path, { name: "platform" })).toMatchObject({ status: 200, body: { data: { name: "platform" } } })
  expect(await ann.put(path, { name: " " })).toMatchObject({ status: 400, body: { msg: "Name is required" } })

  // A collection in the trash is not among what it reaches.
  await ann.delete(`/collection/${collectionId}`)
  expect((await bob.get(path)).body.data).toMatchObject({ name: "platform", collectionCount: 0, collections: [] })
})

testOnce("members who are not admins of a team can look at it and leave, and are told so", async () => {
  const { ann, bob, annId, path, id } = await withTeam()
  const adminCalls = allCalls.filter(({ team }) => team === "admin")
  expect(adminCalls).toContain(calls.teams.rename as Call)
  const before = (await ann.get(path)).text
  const body = { name: "x", who: ann.email, isAdmin: true }
  for (const call of adminCalls) {
    const fields: Record<string, number> = { id, userId: annId, invitationId: 1 }
    const url = `/api${call.path.replaceAll(/\{(\w+)\}/g, (_, field) => String(fields[field]))}`
    const sent = Object.fromEntries(Object.entries(body).filter(([field]) => field in shapeOf(call)))
    const hasBody = call.method === "POST" || call.method === "PUT"
    const typed = { headers: { "content-type": "application/json" }, payload: JSON.stringify(sent) }
    const answer = await bob.send({ method: call.method, url, ...(hasBody ? typed : {}) })
    expect([url, answer.status, answer.body.msg]).toEqual([url, 403, sentences.teamAdminsOnly])
  }
  expect((await ann.get(path)).text).toBe(before)
  expect((await bob.post(`${path}/leave`)).body.msg).toBe("You have left the team")
  expect((await bob.get(path)).status).toBe(404)
})

test("a team always has an admin, also when two go at the same time", async () => {
  const { ann, bob, annId, bobId, path } = await withTeam()
  const last = { status: 409, body: { msg: sentences.lastTeamAdmin } }
  expect(await ann.post(`${path}/leave`)).toMatchObject(last)
  expect(await ann.put(`${path}/members/${annId}`, { isAdmin: false })).toMatchObject(last)
  expect(await ann.delete(`${path}/members/${annId}`)).toMatchObject(last)
  for (let round = 0; round < 3; round++) {
    await ann.put(`${path}/members/${bobId}`, { isAdmin: true })
    const answers = await Promise.all([
      ann.put(`${path}/members/${annId}`, { isAdmin: false }),
      bob.put(`${path}/members/${bobId}`, { isAdmin: false }),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const { members } = (await ann.get<Team>(path)).body.data
    expect(members.filter(({ isAdmin }) => isAdmin)).toHaveLength(1)
    if (members.find(({ isAdmin }) => isAdmin)?.userId === bobId) {
      await bob.put(`${path}/members/${annId}`, { isAdmin: true })
    }
  }
})

testOnce("a screen is told when a team gives, changes or takes a role", async () => {
  const { app, ann, bob, bobId, id, path, collectionId } = await withTeam()
  const url = await app.app.listen({ port: 0, host: "127.0.0.1" })
  const follow = async () => {
    const headers = { cookie: bob.cookie }
    const events = readEvents(await fetch(`${url}/api/collections/${collectionId}/live`, { headers }))
    expect(await events.next()).toMatchObject({ value: { event: "state" } })
    return events
  }
  const role = async () => (await bob.get<Collection>(`/collection/${collectionId}`)).body.data?.role
  const list = { value: { event: "list" } }
  const gone = { value: { event: "gone" } }

  let events = await follow()
  await ann.put(`/collections/${collectionId}/teams/${id}`, { role: "editor" })
  expect([await events.next(), await role()]).toMatchObject([list, "editor"])
  await ann.delete(`${path}/members/${bobId}`)
  expect([await events.next(), await role()]).toMatchObject([gone, undefined])

  await ann.post(`${path}/members`, { who: bob.email })
  events = await follow()
  await ann.delete(`/collections/${collectionId}/teams/${id}`)
  expect([await events.next(), await role()]).toMatchObject([gone, undefined])

  await ann.post(`/collections/${collectionId}/teams`, { teamId: id, role: "viewer" })
  events = await follow()
  await ann.delete(path)
  expect([await events.next(), await role()]).toMatchObject([gone, undefined])
})

const shapeOf = (call: Call): object => ("shape" in call.input ? (call.input.shape as object) : {})

testOnce("a team can be in at most 1,000 collections", async () => {
  const { app, ann, annId, id } = await withTeam()
  const own = await ann.collection("own")
  const share = () => ann.post(`/collections/${own.id}/teams`, { teamId: id, role: "viewer" })
  // With the one of the team that there is.
  for (let batch = 0; batch < 9; batch++) {
    const row = { owner_id: annId, name: "another", description: "", data_key: new Uint8Array() }
    const rows = await app.db.insertInto("collection").values(Array(111).fill(row)).returning("id").execute()
    const shared = rows.map((one) => ({ collection_id: one.id, team_id: id, role: "viewer" as const, created_at: 0 }))
    await app.db.insertInto("collection_team").values(shared).execute()
  }
  expect(await share()).toMatchObject({ status: 400, body: { msg: "A team can be in at most 1,000 collections" } })
  await app.db.deleteFrom("collection").where("name", "=", "another").execute()
  expect(await share()).toMatchObject({ status: 201 })
})

test("the activity of each collection says that a team of it was deleted, and many are left in several changes", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { id: team_id } = (await ann.post<Team>("/teams", { name: "ops" })).body.data
  const ids = await addCollections(app.db, bob, 2 * maxUnsharedAtOnce + 1)
  const rows = ids.map((collection_id) => ({ collection_id, team_id, role: "reader" as const, created_at: 0 }))
  await app.db.insertInto("collection_team").values(rows).execute()
  const { change } = app.core
  const left: number[] = []
  app.core.change = async (caller, action, work) => {
    const shares = app.db.selectFrom("collection_team").select("id")
    if (action === "team.delete") left.push((await shares.execute()).length)
    return change(caller, action, work)
  }
  expect(await ann.delete(`/teams/${team_id}`)).toMatchObject({ status: 200 })
  expect(left).toEqual([maxUnsharedAtOnce])
  const { events } = (await bob.get<ActivityPage>(`/collections/${ids[0]}/activity?kind=people`)).body.data
  expect(events).toMatchObject([{ action: "member.remove-team", team: { id: team_id, name: "ops" } }])
  const removals = app.db.selectFrom("audit_event").select("collection_id").where("action", "=", "member.remove-team")
  const told = await removals.execute()
  expect(told.map(({ collection_id }) => collection_id ?? 0).toSorted((one, other) => one - other)).toEqual(ids)
})

test("many teams are counted in small statements, so that others run in between, and are listed by name", async () => {
  const counted: CompiledQuery[] = []
  const app = await testApp({
    logQuery: ({ query }) => void (query.sql.includes('"collectionCount"') && counted.push(query)),
  })
  const [ann, bob] = [await app.user(), await app.user()]
  const [annId, bobId] = [await idOf(ann), await idOf(bob)]
  // Each name twice, and not in the order of their ids.
  const names = ["d", "f", "a", "c", "e", "b"].flatMap((name) => [name, name])
  const values = names.map((name) => ({ name, created_at: 0 }))
  const teams = (await app.db.insertInto("team").values(values).returning(["id", "name"]).execute()).toSorted(
    (one, other) => one.name.localeCompare(other.name) || one.id - other.id,
  )
  const [used, trashed] = [await ann.collection("used"), await ann.collection("trashed")]
  const expected: TeamSummary[] = []
  for (const [at, { id, name }] of teams.entries()) {
    const [isAdmin, hasBob, hasCollections] = [at % 2 === 0, at % 3 === 0, at % 4 === 0]
    const member = { team_id: id, is_admin: isAdmin ? 1 : 0, created_at: 0 }
    const members = [annId, ...(hasBob ? [bobId] : [])].map((user_id) => ({ ...member, user_id }))
    await app.db.insertInto("team_member").values(members).execute()
    const shared = [used, trashed].map(({ id: collection_id }) => ({ collection_id, team_id: id, created_at: 0 }))
    const withRole = shared.map((one) => ({ ...one, role: "viewer" as const }))
    if (hasCollections) await app.db.insertInto("collection_team").values(withRole).execute()
    expected.push({ id, name, isAdmin, memberCount: members.length, collectionCount: hasCollections ? 1 : 0 })
  }
  await ann.delete(`/collection/${trashed.id}`)

  counted.length = 0
  expect((await ann.get("/teams")).body.data).toEqual(expected)
  // The user, and at most five teams.
  expect(counted.map(({ parameters }) => parameters.length)).toEqual([6, 6, 3])
})
