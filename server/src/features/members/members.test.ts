import {
  type Collection,
  type CollectionMember,
  type Level,
  type StorageUse,
  sentences,
  type User,
} from "@envkeep/contract"
import { password, testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"
import { theServer } from "../../access/caller.ts"
import { disableAccount } from "../users/administration.ts"

const idOf = async (person: Person) => (await person.get<User>("/users/me")).body.data.id

const share = (by: Person, collectionId: number, { email }: { email: string }, role: Level) =>
  by.post(`/collections/${collectionId}/members`, { who: email, role })

async function peopleOf(person: Person, collectionId: number): Promise<CollectionMember[]> {
  const answer = await person.get<{ people: CollectionMember[] }>(`/collections/${collectionId}/members`)
  return answer.body.data.people
}

const usedBytes = async (person: Person) => (await person.get<StorageUse>("/users/me/storage")).body.data.usedBytes

/** Ann's collection, with a value that bob is to see or not. */
async function shared(env: Record<string, string> = {}) {
  const app = await testApp({ env })
  const [ann, bob] = [await app.user(), await app.user()]
  const environment = await ann.environment()
  await ann.item(environment, "TOKEN", "a shared value")
  const { collectionId } = environment
  return { app, ann, bob, environment, collectionId, path: `/collections/${collectionId}/members` }
}

test("a role takes effect on the next request, and so does its end", async () => {
  const { ann, bob, collectionId, path } = await shared()
  const read = async () => {
    const { status, text, body } = await bob.get<Collection>(`/collection/${collectionId}`)
    return [status, body.data?.role, text.includes("a shared value")]
  }
  const userId = await idOf(bob)
  expect(await read()).toEqual([404, undefined, false])
  expect(await share(ann, collectionId, bob, "viewer")).toMatchObject({
    status: 201,
    body: { msg: "Member added successfully", data: { userId, email: bob.email, role: "viewer", isPayer: false } },
  })
  expect(await read()).toEqual([200, "viewer", false])
  expect((await bob.get<Collection[]>("/collection")).body.data).toMatchObject([{ id: collectionId, role: "viewer" }])
  await ann.put(`${path}/${userId}`, { role: "reader" })
  expect(await read()).toEqual([200, "reader", true])
  await ann.put(`${path}/${userId}`, { role: "viewer" })
  expect(await read()).toEqual([200, "viewer", false])
  expect((await ann.delete(`${path}/${userId}`)).body.msg).toBe("Member removed successfully")
  expect(await read()).toEqual([404, undefined, false])
  expect((await bob.get("/collection")).body.data).toEqual([])
})

test("the stronger of a role of one's own and a team's counts, and each ends alone", async () => {
  const { ann, bob, collectionId, path } = await shared()
  const { id: teamId } = (await ann.post<{ id: number }>("/teams", { name: "backend" })).body.data
  await ann.post(`/teams/${teamId}/members`, { who: bob.email })
  await ann.post(`/collections/${collectionId}/teams`, { teamId, role: "editor" })
  await share(ann, collectionId, bob, "viewer")
  const role = async () => (await bob.get<Collection>(`/collection/${collectionId}`)).body.data?.role
  expect(await role()).toBe("editor")
  expect((await bob.get(path)).body.data).toMatchObject({
    teams: [{ teamId, name: "backend", role: "editor", memberCount: 2, isMine: true }],
  })
  await ann.put(`/collections/${collectionId}/teams/${teamId}`, { role: "viewer" })
  await ann.put(`${path}/${await idOf(bob)}`, { role: "reader" })
  expect(await role()).toBe("reader")
  expect((await bob.post(`/collections/${collectionId}/leave`)).status).toBe(200)
  expect(await role()).toBe("viewer")
  expect(await bob.post(`/collections/${collectionId}/leave`)).toMatchObject({
    status: 409,
    body: { msg: sentences.roleFromTeam },
  })
  await ann.delete(`/collections/${collectionId}/teams/${teamId}`)
  expect(await role()).toBeUndefined()
})

testOnce("maintainers manage everyone but owners", async () => {
  const { app, ann, bob, collectionId, path } = await shared()
  const cat = await app.user()
  await share(ann, collectionId, bob, "maintainer")
  const [annId, catId] = [await idOf(ann), await idOf(cat)]
  const refused = { status: 403, body: { msg: sentences.ownersOnly } }
  expect(await share(bob, collectionId, cat, "owner")).toMatchObject(refused)
  expect(await share(bob, collectionId, cat, "maintainer")).toMatchObject({ status: 201 })
  expect(await bob.put(`${path}/${catId}`, { role: "owner" })).toMatchObject(refused)
  expect(await bob.put(`${path}/${annId}`, { role: "viewer" })).toMatchObject(refused)
  expect(await bob.delete(`${path}/${annId}`)).toMatchObject(refused)
  const { id: teamId } = (await bob.post<{ id: number }>("/teams", { name: "bob's" })).body.data
  expect(await bob.post(`/collections/${collectionId}/teams`, { teamId, role: "owner" })).toMatchObject(refused)
  expect(await bob.post(`/collections/${collectionId}/invitations`, { role: "owner" })).toMatchObject(refused)
  expect(await bob.post(`/collections/${collectionId}/transfer`, { userId: catId })).toMatchObject({
    status: 403,
    body: { msg: sentences.roleTooWeak },
  })
  expect(await bob.put(`${path}/${catId}`, { role: "viewer" })).toMatchObject({ status: 200 })
  expect((await peopleOf(cat, collectionId)).map(({ role }) => role).sort()).toEqual(["maintainer", "owner", "viewer"])
})

test("an account is found by its exact e-mail or by a username that no other has, and not by guessing", async () => {
  const { app, ann, bob, collectionId } = await shared()
  const add = (who: string) => ann.post(`/collections/${collectionId}/members`, { who, role: "viewer" })
  const register = (username: string, email: string) =>
    app.guest.post("/users/register", { username, email, password, password2: password })
  await register("only-one", "one@example.com")
  // Another's e-mail as a username must not catch what is shared with its owner.
  await register("two@example.com", "impostor@example.com")
  const unknown = { status: 400, body: { msg: sentences.userUnknown } }
  for (const who of ["only", "ONLY-ONE", "only-one%", "one@example", "two@example.com", "_nly-one"]) {
    expect([who, await add(who)]).toMatchObject([who, unknown])
  }
  expect(await add("someone")).toMatchObject({ status: 400, body: { msg: sentences.usernameNotUnique } })
  expect(await add("only-one")).toMatchObject({ status: 201, body: { data: { email: "one@example.com" } } })
  expect(await add("ONE@example.com")).toMatchObject({ status: 409, body: { msg: sentences.alreadyMember } })
  await disableAccount(app.core, theServer, await idOf(bob))
  expect(await add(bob.email)).toMatchObject(unknown)
  const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => add(`guess ${index}`)))
  expect(answers.filter(({ status }) => status === 400)).toHaveLength(90)
  expect(answers.find(({ status }) => status === 429)?.body.msg).toMatch(/^Too many attempts/)
})

testOnce("there is always an owner, and an owner pays", async () => {
  const { ann, bob, collectionId, path } = await shared()
  const [annId, bobId] = [await idOf(ann), await idOf(bob)]
  const last = { status: 409, body: { msg: sentences.lastOwner } }
  await share(ann, collectionId, bob, "maintainer")
  expect(await ann.post(`/collections/${collectionId}/leave`)).toMatchObject(last)
  expect(await ann.put(`${path}/${annId}`, { role: "viewer" })).toMatchObject(last)
  expect(await ann.delete(`${path}/${annId}`)).toMatchObject(last)
  const [bytes, others] = [await usedBytes(ann), await usedBytes(bob)]

  await ann.put(`${path}/${bobId}`, { role: "owner" })
  expect(await bob.put(`${path}/${annId}`, { role: "editor" })).toMatchObject({
    status: 200,
    body: { data: { role: "editor", isPayer: false } },
  })
  expect(await peopleOf(bob, collectionId)).toMatchObject([
    { userId: annId, role: "editor", isPayer: false },
    { userId: bobId, role: "owner", isPayer: true },
  ])
  expect([await usedBytes(ann), await usedBytes(bob)]).toEqual([0, bytes + others])
  expect(await bob.post(`/collections/${collectionId}/leave`)).toMatchObject(last)
})

test("of two owners who go at the same time, one stays", async () => {
  const { ann, bob, collectionId, path } = await shared()
  const [annId, bobId] = [await idOf(ann), await idOf(bob)]
  const owners = async () => {
    // Who was removed by the other is told that there is no such collection.
    const isAnnThere = (await ann.get(path)).status === 200
    const people = await peopleOf(isAnnThere ? ann : bob, collectionId)
    return people.filter(({ role }) => role === "owner")
  }
  const ways: [() => Promise<{ status: number }>, () => Promise<{ status: number }>][] = [
    [() => ann.put(`${path}/${bobId}`, { role: "viewer" }), () => bob.put(`${path}/${annId}`, { role: "viewer" })],
    [() => ann.put(`${path}/${annId}`, { role: "viewer" }), () => bob.put(`${path}/${bobId}`, { role: "viewer" })],
    [() => ann.delete(`${path}/${bobId}`), () => bob.delete(`${path}/${annId}`)],
  ]
  await share(ann, collectionId, bob, "owner")
  for (const [byAnn, byBob] of ways) {
    const answers = await Promise.all([byAnn(), byBob()])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, expect.toSatisfy((status) => status >= 400)])
    const left = await owners()
    expect(left).toMatchObject([{ role: "owner", isPayer: true }])
    const [owner, other] = left[0]?.userId === annId ? [ann, bob] : [bob, ann]
    await share(owner, collectionId, other, "owner")
    await owner.put(`${path}/${await idOf(other)}`, { role: "owner" })
  }
})

test("the keys of a disabled account's collection work while others are in it, and stop when the last one goes", async () => {
  const { app, ann, bob, collectionId, environment } = await shared()
  const [alone, withTeam] = [await ann.environment(), await ann.environment()]
  const { id: teamId } = (await bob.post<{ id: number }>("/teams", { name: "backend" })).body.data
  await bob.post(`/teams/${teamId}/members`, { who: ann.email })
  await ann.post(`/collections/${withTeam.collectionId}/teams`, { teamId, role: "viewer" })
  await share(ann, collectionId, bob, "owner")
  const keys: string[] = []
  for (const one of [environment, withTeam, alone]) keys.push(String((await ann.apiKey(one)).key))
  const read = () => Promise.all(keys.map(async (key) => (await app.guest.variables(key)).status))
  expect(await read()).toEqual([200, 200, 200])
  await disableAccount(app.core, theServer, await idOf(ann))
  expect(await read()).toEqual([200, 200, 401])
  expect((await ann.post("/api-key", { name: "new", subCollectionId: environment.id })).status).toBe(401)
  expect((await bob.post("/api-key", { name: "new", subCollectionId: environment.id })).status).toBe(200)
  expect((await bob.post(`/collections/${collectionId}/leave`)).status).toBe(200)
  await bob.delete(`/teams/${teamId}`)
  expect(await read()).toEqual([401, 401, 401])
})
