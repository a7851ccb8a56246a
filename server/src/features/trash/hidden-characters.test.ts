import type { ApiKey, Collection, User } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { password } from "@envkeep/testing/running-app.ts"
import { expect } from "vitest"

const hidden = "\u001b[2J\u202e"
const seen = "\ufffd[2J\ufffd"

test("names with control characters or another direction of text are refused, and stored ones are shown harmless", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production")
  const { collectionId } = environment
  await ann.apiKey(environment, "ci")
  const refusal = " cannot contain control characters, or characters that change the direction of text"
  const about = { email: "eve@example.com", password, password2: password }
  for (const [answer, field] of [
    [await ann.post("/collection", { name: `app${hidden}` }), "Name"],
    [await ann.put(`/collection/${collectionId}`, { name: `app${hidden}` }), "Name"],
    [await ann.post("/subcollection", { name: `a${hidden}`, collectionId }), "Name"],
    [await ann.post("/api-key", { name: `a${hidden}`, subCollectionId: environment.id }), "Name"],
    [await ann.post("/teams", { name: `a${hidden}` }), "Name"],
    [await app.guest.post("/users/register", { ...about, username: `eve${hidden}` }), "Username"],
    [await app.guest.post("/cli/logins", { machine: `laptop${hidden}` }), "Machine"],
  ] as const) {
    expect([answer.status, answer.body.msg]).toEqual([400, field + refusal])
  }

  for (const table of ["collection", "environment", "api_key"] as const) {
    await app.db
      .updateTable(table)
      .set({ name: `${table}${hidden}` })
      .execute()
  }
  await app.db
    .updateTable("user")
    .set({ username: `ann${hidden}` })
    .execute()
  const { name, subCollections } = (await ann.get<Collection>(`/collection/${collectionId}`)).body.data
  expect([name, subCollections[0]?.name]).toEqual([`collection${seen}`, `environment${seen}`])
  expect((await ann.get<User>("/users/me")).body.data.username).toBe(`ann${seen}`)
  const [key] = (await ann.get<ApiKey[]>("/api-key")).body.data
  expect(key).toMatchObject({ name: `api_key${seen}`, collectionName: `collection${seen}` })
  // What is to be typed is what is shown.
  await ann.delete(`/collection/${collectionId}`)
  expect((await ann.post(`/trash/collections/${collectionId}/purge`, { name: `collection${seen}` })).status).toBe(200)
})
