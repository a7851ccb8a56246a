import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { recordingApp } from "@envkeep/testing/recording-app.ts"
import { expect, test } from "vitest"

testOnce("saving what is already there records nothing", async () => {
  const { app, events } = await recordingApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const item = await ann.item(environment, "NAME", "a value")
  const seen = events.length
  await ann.put(`/collectionItem/${item.id}`, { name: "NAME", value: "a value" })
  await ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "NAME", value: "a value" }])
  expect(events.length).toBe(seen)
})

test("if its event cannot be recorded, a change is not made", async () => {
  let refuse = false
  const { app } = await recordingApp(() => {
    if (refuse) throw new Error("the event cannot be written")
  })
  const ann = await app.user()
  const environment = await ann.environment()
  const { key } = await ann.apiKey(environment)
  await ann.item(environment, "NAME", "before")
  refuse = true
  const answer = await ann.post(`/subcollection/${environment.id}/bulk`, [{ name: "NAME", value: "after" }])
  expect(answer.status).toBe(500)
  expect((await app.guest.variables(key)).text).toBe('{"NAME":"before"}')
})

test("listeners are called for each commit before the caller is answered, and not for changes that failed", async () => {
  const { core, ...app } = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const received: string[] = []
  core.listeners.push(
    (changes) => void received.push(`first ${JSON.stringify(changes)}`),
    (changes) => void received.push(`second ${JSON.stringify(changes)}`),
  )
  await ann.item(environment, "NAME", "a value")
  const change = JSON.stringify([{ environmentId: environment.id }])
  expect(received).toEqual([`first ${change}`, `second ${change}`])
  await ann.item(environment, "NAME", "taken")
  expect(received).toHaveLength(2)
})
