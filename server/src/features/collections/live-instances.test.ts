import type { Level } from "@envkeep/contract"
import { testOnce } from "@envkeep/testing/once.ts"
import { readerStream } from "@envkeep/testing/reader-stream.ts"
import { callerOf, screensApp } from "@envkeep/testing/screens.ts"
import { expect, test, vi } from "vitest"

/** A collection with an environment in which programs can run, and a screen on it for each role. */
async function shownTo(roles: readonly Level[]) {
  const app = await screensApp()
  const { ann, user, core, follow } = app
  const environment = await ann.environment()
  const { id: keyId } = await ann.apiKey(environment)
  const members = `/collections/${environment.collectionId}/members`
  const memberIds = new Map<Level, number>()
  const told = new Map<Level, unknown[]>([["owner", await follow(environment.collectionId)]])
  for (const role of roles) {
    const member = await user()
    await ann.post(members, { who: member.email, role })
    const { id } = (await member.get<{ id: number }>("/users/me")).body.data
    memberIds.set(role, id)
    told.set(role, await follow(environment.collectionId, id))
  }
  const now = Date.now()
  const starts = (label: string) =>
    core.bookkeep((tx) =>
      tx
        .insertInto("instance")
        .values({
          ...{ api_key_id: keyId, environment_id: environment.id, label, process: "a", client: "", address: "" },
          ...{ revision: 1, since_at: now, first_seen_at: now, seen_at: now, gone_at: now + 3_600_000 },
          ...{ is_watching: 0, is_once: 1 },
        })
        .execute(),
    )
  /** How often. */
  const timesTold = (role: Level) =>
    told.get(role)?.filter((one) => (one as { event: string }).event === "instances").length
  return { ...app, environment, memberIds, members, starts, timesTold }
}

test("what runs is told when it changes, to those who may read it", async () => {
  const { live, starts, timesTold } = await shownTo(["viewer", "reader", "editor", "maintainer"])
  await live.tellInstances()
  await starts("web-1")
  for (let n = 0; n < 2; n++) await live.tellInstances()
  for (const role of ["owner", "maintainer", "editor"] as const) {
    expect(timesTold(role)).toBe(1)
  }
  for (const role of ["viewer", "reader"] as const) expect(timesTold(role)).toBe(0)
})

testOnce("editors are told nothing of a protected environment, and nobody after the role is gone", async () => {
  const { ann, db, live, environment, memberIds, starts, timesTold } = await shownTo(["editor", "maintainer"])
  await ann.put(`/environments/${environment.id}/protection`, { isProtected: true })
  await starts("web-1")
  await live.tellInstances()
  expect(timesTold("editor")).toBe(0)
  expect(timesTold("maintainer")).toBe(1)

  // Another node has changed it, and this one was not notified yet.
  const ofMaintainer = db.updateTable("collection_member").where("user_id", "=", memberIds.get("maintainer") ?? 0)
  await ofMaintainer.set({ role: "editor" }).execute()
  await starts("web-2")
  await live.tellInstances()
  expect(timesTold("owner")).toBe(2)
  expect(timesTold("editor")).toBe(0)
  // Once more, because nothing of it is in sight any more.
  expect(timesTold("maintainer")).toBe(2)
})

testOnce("a token is told what its scope allows it to read", async () => {
  const { userId, live, environment, starts } = await shownTo([])
  const told: unknown[][] = []
  for (const scope of ["names", "read", "write"] as const) {
    const { sent, open } = readerStream((event) => event)
    const token = { id: 1, name: "ci", scope, isLimited: false }
    await live.add({ ...callerOf(userId), sessionId: undefined, token }, environment.collectionId, open)
    await vi.waitFor(() => expect(sent).toEqual(["state"]))
    told.push(sent)
  }
  await starts("web-1")
  await live.tellInstances()
  expect(told).toEqual([["state"], ["state"], ["state", "instances"]])
})
