import type { ApiKey, KeyLeak } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { expect, test } from "vitest"

test("the list of values to replace ticks itself off, with what is inherited, renamed, restored and removed", async () => {
  const { db, guest, ...app } = await testApp()
  const ann = await app.user()
  const base = await ann.environment("base")
  const environment = await ann.environment("production", base.collectionId)
  const inherited = await ann.item(base, "INHERITED", "1")
  await ann.item(base, "HIDDEN", "1")
  await ann.put(`/environments/${environment.id}/base`, { baseId: base.id })
  const items = new Map<string, number>()
  for (const name of ["CHANGED", "HIDDEN", "KEPT", "REMOVED", "RENAMED", "RESTORED"]) {
    items.set(name, (await ann.item(environment, name, "before")).id)
  }
  const { id, key } = await ann.apiKey(environment, "leaked")
  const gone = await ann.item(environment, "GONE", "1")
  await ann.delete(`/collectionItem/${gone.id}`)
  const edit = (name: string, as: { name: string; value: string }) =>
    ann.put(`/collectionItem/${items.get(name)}`, as)
  // While the key can be used, it reads what is new too.
  await edit("CHANGED", { name: "CHANGED", value: "too early" })
  expect((await guest.variables(key)).status).toBe(200)
  await app.app.close()
  const restarted = await testApp({ store: undefined })
  expect(restarted).toBeDefined()

  const leak = async () => (await ann.get<KeyLeak>(`/api-key/${id}/leak`)).body.data
  expect(db).toBeDefined()
  expect(await leak()).toBeDefined()
})
