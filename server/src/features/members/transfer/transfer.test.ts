import {
  type Collection,
  type CollectionMember,
  type StorageUse,
  sentences,
  type TransferRequest,
  type User,
} from "@envkeep/contract"
import { password, testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"
import { theServer } from "../../../access/caller.ts"
import { recountStoredBytes } from "../../../core/stored-bytes.ts"
import { disableAccount } from "../../users/administration.ts"

const idOf = async (person: Person) => (await person.get<User>("/users/me")).body.data.id
const usedBytes = async (person: Person) => (await person.get<StorageUse>("/users/me/storage")).body.data.usedBytes
const requestsTo = async (person: Person) =>
  (await person.get<TransferRequest[]>("/users/me/transfer-requests")).body.data

/** Ann's collection, in which bob has a role that he did not ask for. */
async function withBob(role: string, env: Record<string, string> = {}) {
  const app = await testApp({ env })
  const [ann, bob] = [await app.user(), await app.user()]
  const environment = await ann.environment()
  await ann.item(environment, "TOKEN", "a shared value")
  const path = `/collections/${environment.collectionId}`
  await ann.post(`${path}/members`, { who: bob.email, role })
  const people = async (by: Person) =>
    (await by.get<{ people: CollectionMember[] }>(`${path}/members`)).body.data.people
  const [annId, bobId] = [await idOf(ann), await idOf(bob)]
  return { app, ann, bob, annId, bobId, environment, collectionId: environment.collectionId, path, people }
}

const large = Array.from({ length: 9 }, (_, index) => ({ name: `N${index}`, value: "x".repeat(60_000) }))

testOnce("nobody can fill the storage of another account", async () => {
  const { ann, bob, annId, bobId, environment, path } = await withBob("owner", { ENVKEEP_QUOTA_MB: "1" })
  const fill = () => ann.post(`/subcollection/${environment.id}/bulk`, large)
  expect(await ann.post(`${path}/transfer`, { userId: bobId })).toMatchObject({ status: 200 })
  const refusedWays = [
    () => ann.put(`${path}/members/${annId}`, { role: "viewer" }),
    () => ann.delete(`${path}/members/${annId}`),
    () => ann.post(`${path}/leave`),
    () => ann.post("/users/me/delete", { password }),
  ]
  for (const way of refusedWays) expect(await way()).toMatchObject({ status: 409 })
  expect(await fill()).toMatchObject({ status: 200 })

  expect(await usedBytes(bob)).toBe(0)
  const his = await bob.environment()
  expect(await bob.post(`/subcollection/${his.id}/bulk`, large)).toMatchObject({ status: 200 })
  expect(await bob.post(`${path}/leave`)).toMatchObject({ status: 200 })
  expect(await requestsTo(bob)).toEqual([])
})

testOnce("the owner who pays goes only when another has taken the collection over", async () => {
  const { ann, bob, annId, path } = await withBob("owner")
  const stays = { status: 409, body: { msg: sentences.payerStays } }
  expect(await ann.put(`${path}/members/${annId}`, { role: "viewer" })).toMatchObject(stays)
  expect(await ann.delete(`${path}/members/${annId}`)).toMatchObject(stays)
  expect(await ann.post(`${path}/leave`)).toMatchObject(stays)

  expect(await bob.post(`${path}/take-over`)).toMatchObject({
    status: 200,
    body: { msg: "The collection counts for your account now" },
  })
  expect(await ann.post(`${path}/leave`)).toMatchObject({ status: 200 })
})

test("a member who accepts becomes the owner who pays, and who asked stays as a maintainer", async () => {
  const { app, ann, bob, annId, bobId, collectionId, path, people } = await withBob("viewer")
  const before = [await usedBytes(ann), await usedBytes(bob)]
  expect(await ann.post(`${path}/transfer`, { userId: bobId })).toMatchObject({
    status: 200,
    body: { msg: "Request sent. The collection stays yours until it is accepted" },
  })
  expect([await usedBytes(ann), await usedBytes(bob)]).toEqual(before)
  expect(await people(bob)).toMatchObject([
    { userId: annId, role: "owner", isPayer: true, isAskedToPay: false },
    { userId: bobId, role: "viewer", isPayer: false, isAskedToPay: true },
  ])
  expect(await requestsTo(bob)).toEqual([{ collectionId, name: "app", bytes: before[0], askedBy: "someone" }])
  expect(await requestsTo(ann)).toEqual([])

  expect(await bob.post(`${path}/take-over`)).toMatchObject({ status: 200 })
  expect([await usedBytes(ann), await usedBytes(bob)]).toEqual([0, before[0]])
  expect((await ann.get<Collection>(`/collection/${collectionId}`)).body.data.role).toBe("maintainer")
  expect(await people(bob)).toMatchObject([
    { userId: annId, role: "maintainer", isPayer: false },
    { userId: bobId, role: "owner", isPayer: true, isAskedToPay: false },
  ])
  expect(await requestsTo(bob)).toEqual([])
  expect(await recountStoredBytes(app.db)).toBe(0)
})

test("a collection that has no room in the account is not taken over", async () => {
  const { app, ann, bob, bobId, environment, path, people } = await withBob("viewer", { ENVKEEP_QUOTA_MB: "1" })
  await ann.post(`/subcollection/${environment.id}/bulk`, large)
  const his = await bob.environment()
  await bob.post(`/subcollection/${his.id}/bulk`, large)
  await ann.post(`${path}/transfer`, { userId: bobId })
  const before = [await usedBytes(ann), await usedBytes(bob)]
  expect(await bob.post(`${path}/take-over`)).toMatchObject({
    status: 400,
    body: { msg: sentences.noRoomForCollection },
  })
  expect([await usedBytes(ann), await usedBytes(bob)]).toEqual(before)
  expect(await people(ann)).toMatchObject([{ isPayer: true }, { role: "viewer", isAskedToPay: true }])

  await bob.delete(`/collection/${his.collectionId}`)
  await bob.purge("collections", { id: his.collectionId, name: "app" })
  expect(await bob.post(`${path}/take-over`)).toMatchObject({ status: 200 })
  expect([await usedBytes(ann), await usedBytes(bob)]).toEqual([0, before[0]])
  expect(await recountStoredBytes(app.db)).toBe(0)
})

test("a request is refused by the member, withdrawn by an owner, and ends with another one", async () => {
  const { app, ann, bob, bobId, path } = await withBob("viewer")
  const eve = await app.user()
  await ann.post(`${path}/members`, { who: eve.email, role: "maintainer" })
  const eveId = await idOf(eve)
  const ask = (userId: number) => ann.post(`${path}/transfer`, { userId })
  const notAsked = { status: 403, body: { msg: sentences.notAskedToPay } }
  const ended = { status: 200, body: { msg: "The request has ended" } }

  await ask(bobId)
  expect(await eve.delete(`${path}/transfer`)).toMatchObject(notAsked)
  expect(await bob.delete(`${path}/transfer`)).toMatchObject(ended)
  expect(await bob.post(`${path}/take-over`)).toMatchObject(notAsked)
  expect(await bob.delete(`${path}/transfer`)).toMatchObject(notAsked)

  await ask(bobId)
  expect(await ann.delete(`${path}/transfer`)).toMatchObject(ended)
  expect(await ann.delete(`${path}/transfer`)).toMatchObject(ended)
  expect(await bob.post(`${path}/take-over`)).toMatchObject(notAsked)

  await ask(bobId)
  await ask(eveId)
  expect(await bob.post(`${path}/take-over`)).toMatchObject(notAsked)
  expect(await eve.post(`${path}/take-over`)).toMatchObject({ status: 200 })
})

testOnce("a request counts only while its owner is one, and its member is in the collection", async () => {
  const { app, ann, bob, annId, bobId, path, people } = await withBob("viewer")
  const eve = await app.user()
  await ann.post(`${path}/members`, { who: eve.email, role: "owner" })
  const eveId = await idOf(eve)
  const notAsked = { status: 403, body: { msg: sentences.notAskedToPay } }

  await eve.post(`${path}/transfer`, { userId: bobId })
  expect(await people(bob)).toContainEqual(expect.objectContaining({ userId: bobId, isAskedToPay: true }))
  await ann.put(`${path}/members/${eveId}`, { role: "maintainer" })
  expect(await requestsTo(bob)).toEqual([])
  expect(await people(bob)).toContainEqual(expect.objectContaining({ userId: bobId, isAskedToPay: false }))
  expect(await bob.post(`${path}/take-over`)).toMatchObject(notAsked)

  await ann.post(`${path}/transfer`, { userId: bobId })
  await ann.delete(`${path}/members/${bobId}`)
  await ann.post(`${path}/members`, { who: bob.email, role: "maintainer" })
  expect(await bob.post(`${path}/take-over`)).toMatchObject(notAsked)
  expect((await ann.get<{ people: CollectionMember[] }>(`${path}/members`)).body.data.people).toContainEqual(
    expect.objectContaining({ userId: annId, isPayer: true }),
  )
})

test("requests that no longer count hide none that does", async () => {
  const app = await testApp()
  const [ann, bob, eve] = [await app.user(), await app.user(), await app.user()]
  const [bobId, eveId] = [await idOf(bob), await idOf(eve)]
  const askIn = async (name: string, by: Person) => {
    const { id } = await ann.collection(name)
    await ann.post(`/collections/${id}/members`, { who: bob.email, role: "viewer" })
    await ann.post(`/collections/${id}/members`, { who: eve.email, role: "owner" })
    await by.post(`/collections/${id}/transfer`, { userId: bobId })
    await ann.delete(`/collections/${id}/members/${eveId}`)
  }
  for (let number = 0; number < 10; number++) await askIn(`old ${number}`, eve)
  await askIn("billing", ann)

  expect(await requestsTo(bob)).toMatchObject([{ name: "billing" }])
})

testOnce("an owner by a team who asks keeps the weaker role of their own", async () => {
  const { app, ann, bob, bobId, path, people } = await withBob("viewer")
  const eve = await app.user()
  const eveId = await idOf(eve)
  const { data: team } = (await ann.post<{ id: number }>("/teams", { name: "payments" })).body
  await ann.post(`/teams/${team.id}/members`, { who: eve.email })
  await ann.post(`${path}/teams`, { teamId: team.id, role: "owner" })
  await ann.post(`${path}/members`, { who: eve.email, role: "viewer" })

  expect(await eve.post(`${path}/transfer`, { userId: bobId })).toMatchObject({ status: 200 })
  expect(await requestsTo(bob)).toHaveLength(1)
  expect(await bob.post(`${path}/take-over`)).toMatchObject({ status: 200 })

  expect(await people(ann)).toContainEqual(expect.objectContaining({ userId: eveId, role: "viewer" }))
})

testOnce("someone can ask so many members in an hour only", async () => {
  const { ann, bobId, path } = await withBob("viewer")
  const statuses = new Set<number>()
  for (let again = 0; again < 100; again++) statuses.add((await ann.post(`${path}/transfer`, { userId: bobId })).status)
  expect([...statuses]).toEqual([200, 429])
})

testOnce("only a member can be asked, who does not pay already and can log in", async () => {
  const { app, ann, bob, annId, bobId, path } = await withBob("owner")
  const eve = await app.user()
  const ask = (by: Person, userId: number) => by.post(`${path}/transfer`, { userId })
  const refused = (status: number, msg: string) => ({ status, body: { msg } })
  expect(await ask(ann, await idOf(eve))).toMatchObject(refused(404, "Member not found"))
  expect(await ask(ann, annId)).toMatchObject(refused(400, sentences.transferToYourself))
  expect(await ask(bob, annId)).toMatchObject(refused(409, sentences.paysAlready))
  await disableAccount(app.core, theServer, bobId)
  expect(await ask(ann, bobId)).toMatchObject(refused(400, sentences.memberDisabled))
})

test("of two members who take over at the same time, one pays", async () => {
  const { app, ann, bob, path } = await withBob("owner")
  const eve = await app.user()
  await ann.post(`${path}/members`, { who: eve.email, role: "owner" })
  const answers = await Promise.all([bob, eve].map((person) => person.post(`${path}/take-over`)))
  expect(answers.map(({ status }) => status)).toEqual([200, 200])
  expect((await ann.get<{ people: CollectionMember[] }>(`${path}/members`)).body.data.people).toMatchObject([
    { isPayer: false },
    { role: "owner" },
    { role: "owner" },
  ])
  expect(await recountStoredBytes(app.db)).toBe(0)
})

test("writes during transfers are counted to the account that pays", async () => {
  const { app, ann, bob, environment, collectionId, path } = await withBob("owner")
  const write = async (by: Person, name: string) => {
    for (let number = 0; number < 8; number++) {
      await by.item(environment, `${name}${number}`)
      const { id } = await by.environment(`${name} ${number}`, collectionId)
      const key = await by.apiKey({ id })
      await by.delete(`/api-key/${key.id}`)
    }
  }
  const move = async () => {
    for (let number = 0; number < 4; number++) {
      await bob.post(`${path}/take-over`)
      await ann.post(`${path}/take-over`)
    }
  }
  await Promise.all([write(ann, "A"), write(bob, "B"), move()])
  expect(await recountStoredBytes(app.db)).toBe(0)
})
