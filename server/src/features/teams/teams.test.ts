import { type Call, type Collection, calls, sentences, type Team, type TeamSummary, type User } from "@envkeep/contract"
import { allCalls } from "@envkeep/testing/all-calls.ts"
import { testApp } from "@envkeep/testing/app.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

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

test("members who are not admins of a team can look at it and leave, and are told so", async () => {
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

test("a screen is told when a team gives, changes or takes a role", async () => {
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

test("a team can be in at most 1,000 collections", async () => {
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
