import { eventually } from "@envkeep/testing/eventually.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { copyEnvironment, screensApp } from "@envkeep/testing/screens.ts"
import { expect, test, vi } from "vitest"

test("users of one collection are told by one query, each with their role", async () => {
  const { ann, user, live, reads, follow } = await screensApp()
  const environment = await ann.environment()
  const members = `/collections/${environment.collectionId}/members`
  const screens = [await follow(environment.collectionId)]
  for (const role of ["viewer", "editor", "maintainer"]) {
    const bob = await user()
    await ann.post(members, { who: bob.email, role })
    const { id } = (await bob.get<{ id: number }>("/users/me")).body.data
    screens.push(await follow(environment.collectionId, id))
  }
  await ann.put(`/collection/${environment.collectionId}`, { name: "renamed" })
  reads.count = 0
  live.changed([{ collectionId: environment.collectionId }])
  await vi.waitFor(() => expect(screens.every((sent) => sent.length === 2)).toBe(true))
  expect(reads.count).toBe(1)
  expect(screens.map((sent) => sent.at(-1))).toEqual(
    ["owner", "viewer", "editor", "maintainer"].map((role) => ({
      event: "list",
      data: expect.objectContaining({ name: "renamed", role }),
    })),
  )
})

test("no query reads more than 1,000 environments, of one collection", async () => {
  const app = await screensApp()
  const { ann, live, reads, follow } = app
  const { id, collectionId } = await ann.environment()
  const other = await ann.environment()
  await copyEnvironment(app, id, 2_000)
  reads.count = 0
  const [state] = await follow(collectionId)
  expect(reads.count).toBe(3)
  expect(state).toMatchObject({ event: "state", data: { environments: { length: 2_001 } } })
  const screen = await follow(other.collectionId)

  await ann.put(`/collection/${other.collectionId}`, { name: "renamed" })
  reads.count = 0
  live.mayHaveMissedChanges()
  await vi.waitFor(() => expect(screen).toHaveLength(2))
  expect(reads.count).toBe(4)
})

testOnce("a change of a user's teams reads only a collection in which the role is another one", async () => {
  const { ann, user, db, live, reads, follow } = await screensApp()
  const bob = await user()
  const { id: userId } = (await bob.get<{ id: number }>("/users/me")).body.data
  const shared = async () => {
    const { collectionId } = await ann.environment()
    await ann.post(`/collections/${collectionId}/members`, { who: bob.email, role: "viewer" })
    return { collectionId, sent: await follow(collectionId, userId) }
  }
  const [same, changed, taken] = [await shared(), await shared(), await shared()]
  reads.count = 0
  await db.deleteFrom("collection_member").where("collection_id", "=", taken.collectionId).execute()
  live.changed([{ userId }])
  await vi.waitFor(() => expect(taken.sent).toHaveLength(2))
  expect(taken.sent.at(-1)).toEqual({ event: "gone", data: {} })
  expect(reads.count).toBe(0)

  const ofBob = db.updateTable("collection_member").where("user_id", "=", userId)
  await ofBob.set({ role: "editor" }).where("collection_id", "=", changed.collectionId).execute()
  live.changed([{ userId }])
  await vi.waitFor(() => expect(changed.sent).toHaveLength(2))
  expect(changed.sent.at(-1)).toMatchObject({ event: "list", data: { name: "app", role: "editor" } })
  expect(reads.count).toBe(1)
  expect(same.sent).toHaveLength(1)
})

testOnce("an environment that changes while its collection is read for the first time is read again", async () => {
  const { ann, live, reads, follow } = await screensApp()
  const { id, collectionId } = await ann.environment()
  reads.onNext = () => live.changed([{ environmentId: id }])
  await follow(collectionId)
  await vi.waitFor(() => expect(reads.count).toBe(2))
})

testOnce("what could not be read is read again", async () => {
  const { ann, live, reads, follow } = await screensApp()
  const environment = await ann.environment()
  const sent = await follow(environment.collectionId)
  await ann.item(environment)
  reads.onNext = () => {
    throw new Error("the answer was lost")
  }
  live.changed([{ environmentId: environment.id }])
  await vi.waitFor(() => expect(sent).toHaveLength(2), eventually)
  expect(sent.at(-1)).toMatchObject({ event: "environment", data: { id: environment.id, revision: 2 } })
})
