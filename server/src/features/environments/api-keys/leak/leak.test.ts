import type { KeyLeak } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, test } from "vitest"

test("the list of values to replace ticks itself off, with what is inherited, renamed, restored and removed", async () => {
  const { db, ...app } = await testApp()
  const ann = await app.user()
  const base = await ann.environment("base")
  const environment = await ann.environment("production", base.collectionId)
  const inherited = await ann.item(base, "INHERITED", "1")
  const hidden = await ann.item(base, "HIDDEN", "1")
  await ann.put(`/environments/${environment.id}/base`, { baseId: base.id })
  const items = new Map<string, number>()
  for (const name of ["CHANGED", "HIDDEN", "KEPT", "REMOVED", "RENAMED", "RESTORED"]) {
    items.set(name, (await ann.item(environment, name, "before")).id)
  }
  const { id } = await ann.apiKey(environment, "leaked")
  await ann.delete(`/collectionItem/${(await ann.item(environment, "GONE", "1")).id}`)
  const edit = (itemId: number | undefined, name: string, value: string) =>
    ann.put(`/collectionItem/${itemId}`, { name, value })
  const { revision } = (await edit(items.get("CHANGED"), "CHANGED", "too early")).body.data as { revision: number }
  await ann.item(environment, "LATE", "1")
  const usedAt = Date.now()
  await db.updateTable("api_key").set({ last_used_at: usedAt }).execute()
  // Set after the last read.
  await db
    .updateTable("revision")
    .set({ created_at: usedAt + 1 })
    .where("environment_id", "=", environment.id)
    .where("number", "=", revision + 1)
    .execute()

  const leak = async () => (await ann.get<KeyLeak>(`/api-key/${id}/leak`)).body.data
  const states = async () => {
    const { names } = await leak()
    return Object.fromEntries(
      names.map(({ name, state, environmentName, renamedTo }) => [
        name,
        [environmentName, state, ...(renamedTo === null ? [] : [renamedTo])].join(" "),
      ]),
    )
  }
  const untouched = {
    CHANGED: "production open",
    GONE: "production removed",
    HIDDEN: "production open",
    INHERITED: "base open",
    KEPT: "production open",
    LATE: "production open",
    REMOVED: "production open",
    RENAMED: "production open",
    RESTORED: "production open",
  }
  expect(await states()).toEqual(untouched)
  const before = await leak()
  expect(before).toMatchObject({ endedAt: null, subCollectionName: "production", reads: 0, networks: [] })
  expect(before.apiKey).not.toHaveProperty("key")
  expect(before.names.filter(({ wasRead }) => !wasRead).map(({ name }) => name)).toEqual(["LATE"])
  // While the key can be used, it reads what is new too.
  await edit(items.get("KEPT"), "KEPT", "new, but readable")
  expect(await states()).toEqual(untouched)

  const end = Date.now() + 2
  await db
    .updateTable("api_key")
    .set({ disabled_at: end - 1 })
    .execute()
  await db
    .updateTable("revision")
    .set({ created_at: end - 2 })
    .where("created_at", ">=", end - 1)
    .execute()
  await expect.poll(() => Date.now()).toBeGreaterThanOrEqual(end)
  expect((await leak()).endedAt).toBe(new Date(end - 1).toISOString())
  expect(await states()).toEqual(untouched)
  await edit(items.get("CHANGED"), "CHANGED", "after")
  await edit(inherited.id, "INHERITED", "after")
  await edit(hidden.id, "HIDDEN", "after")
  await edit(items.get("RENAMED"), "NEW_NAME", "before")
  await ann.delete(`/collectionItem/${items.get("REMOVED")}`)
  await edit(items.get("RESTORED"), "RESTORED", "after")
  await ann.post(`/environments/${environment.id}/restore-item`, { name: "RESTORED", revision })
  await ann.item(environment, "ADDED", "1")
  const replaced = {
    ...untouched,
    CHANGED: "production replaced",
    INHERITED: "base replaced",
    REMOVED: "production removed",
    RENAMED: "production open NEW_NAME",
  }
  expect(await states()).toEqual(replaced)
  await edit(items.get("RENAMED"), "NEW_NAME", "after")
  expect(await states()).toEqual({ ...replaced, RENAMED: "production replaced NEW_NAME" })

  // Back in use, it reads everything again.
  await ann.put(`/api-key/${id}/disabled`, { isDisabled: false })
  expect((await leak()).names.every(({ state }) => state !== "replaced")).toBe(true)
  expect(JSON.stringify(await leak())).not.toContain("before")
})

testOnce(
  "a value that is typed in again is not replaced: by an edit, by a list, or by deleting and adding it",
  async () => {
    const ann = await (await testApp()).user()
    const environment = await ann.environment()
    const items = new Map<string, number>()
    for (const name of ["ADDED", "EDITED", "LISTED", "RENAMED"])
      items.set(name, (await ann.item(environment, name, "before")).id)
    const key = await ann.apiKey(environment)
    expect((await ann.put(`/api-key/${key.id}/disabled`, { isDisabled: true })).status).toBe(200)
    // A revision of the same millisecond would still count as read.
    const ended = Date.now()
    await expect.poll(() => Date.now()).toBeGreaterThan(ended)
    const states = async () => {
      const { names } = (await ann.get<KeyLeak>(`/api-key/${key.id}/leak`)).body.data
      return names.map(({ name, state, renamedTo }) => [name, state, renamedTo].join(" ").trim())
    }
    const edit = (name: string, to: string, value: string) =>
      ann.put(`/collectionItem/${items.get(name)}`, { name: to, value })
    for (const name of ["EDITED", "LISTED"]) await edit(name, name, "another")
    await edit("RENAMED", "NEW_NAME", "another")
    await ann.delete(`/collectionItem/${items.get("ADDED")}`)
    await ann.item(environment, "ADDED", "another")
    const replaced = ["ADDED replaced", "EDITED replaced", "LISTED replaced", "RENAMED replaced NEW_NAME"]
    expect(await states()).toEqual(replaced)

    await edit("EDITED", "EDITED", "before")
    await edit("RENAMED", "NEW_NAME", "before")
    const list = [
      { name: "ADDED", value: "another" },
      { name: "EDITED", value: "before" },
      { name: "LISTED", value: "before" },
      { name: "NEW_NAME", value: "before" },
    ]
    expect((await ann.post(`/subcollection/${environment.id}/bulk`, list)).status).toBe(200)
    const rows = await ann.itemsOf(environment)
    await ann.delete(`/collectionItem/${rows.find(({ name }) => name === "ADDED")?.id}`)
    await ann.item(environment, "ADDED", "before")
    expect(await states()).toEqual(["ADDED open", "EDITED open", "LISTED open", "RENAMED open NEW_NAME"])
  },
)

test("a value stays open under its new name, whatever has its former one now", async () => {
  const ann = await (await testApp()).user()
  const environment = await ann.environment()
  const items = new Map<string, number>()
  for (const name of ["BACK", "CHANGED", "FREED", "LEFT", "MOVED", "OTHER", "RIGHT"]) {
    items.set(name, (await ann.item(environment, name, "before")).id)
  }
  const key = await ann.apiKey(environment)
  expect((await ann.put(`/api-key/${key.id}/disabled`, { isDisabled: true })).status).toBe(200)
  // A revision of the same millisecond would still count as read.
  const disabledAt = Date.now()
  await expect.poll(() => Date.now()).toBeGreaterThan(disabledAt)
  const rename = (item: string, name: string, value = "before") =>
    ann.put(`/collectionItem/${items.get(item)}`, { name, value })
  await ann.put(`/environments/${environment.id}/items`, [
    { id: items.get("LEFT"), name: "RIGHT", value: "before" },
    { id: items.get("RIGHT"), name: "LEFT", value: "before" },
  ])
  await rename("BACK", "AWAY")
  await rename("BACK", "BACK")
  await rename("CHANGED", "CHANGED", "after")
  await rename("CHANGED", "LATER", "after")
  await rename("FREED", "NEW")
  await ann.item(environment, "FREED", "another")
  await rename("MOVED", "PASSED")
  await rename("MOVED", "FINAL")
  await rename("OTHER", "PASSED")

  const { names } = (await ann.get<KeyLeak>(`/api-key/${key.id}/leak`)).body.data
  expect(names.map(({ name, state, renamedTo }) => `${name} ${state} ${renamedTo}`)).toEqual([
    "BACK open null",
    "CHANGED replaced LATER",
    "FREED open NEW",
    "LEFT open RIGHT",
    "MOVED open FINAL",
    "OTHER open PASSED",
    "RIGHT open LEFT",
  ])
})

testOnce("a value is followed through tens of thousands of new names", async () => {
  const { db, ...app } = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const { id: item_id } = await ann.item(environment, "NAME_0", "before")
  const key = await ann.apiKey(environment)
  await db.updateTable("api_key").set({ disabled_at: Date.now() }).execute()
  const renames = 20_000
  const from = environment.revision + 2
  const common = { environment_id: environment.id, item_id }
  for (let at = 0; at < renames; at += 1_000) {
    const some = Array.from({ length: 1_000 }, (_, n) => at + n)
    await db
      .insertInto("item_version")
      .values(
        some.flatMap((n) => [
          { ...common, revision: from + n, name: `NAME_${n}`, sealed_value: null, previous_name: null },
          {
            ...common,
            revision: from + n,
            name: `NAME_${n + 1}`,
            sealed_value: Buffer.from("sealed"),
            previous_name: `NAME_${n}`,
          },
        ]),
      )
      .execute()
  }
  const { body } = await ann.get<KeyLeak>(`/api-key/${key.id}/leak`)
  expect(body.data.names).toMatchObject([{ name: "NAME_0", state: "open", renamedTo: `NAME_${renames}` }])
})

test("a leaked key's networks are listed, the most recent first", async () => {
  const { db, ...app } = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const { id } = await ann.apiKey(environment)
  const key = {
    api_key_id: id,
    api_key_name: "ci",
    environment_id: environment.id,
    collection_id: environment.collectionId,
  }
  const hour = (at: number, address: string, reads: number) => ({
    ...key,
    address,
    hour_at: at,
    last_at: at + 5,
    reads,
    client: "curl/8",
  })
  await db
    .insertInto("key_read")
    .values([hour(1_000, "10.0.0.0/24", 2), hour(3_000, "10.0.0.0/24", 3), hour(4_000, "10.0.1.0/24", 1)])
    .execute()
  const { reads, networks } = (await ann.get<KeyLeak>(`/api-key/${id}/leak`)).body.data
  expect(reads).toBe(6)
  expect(networks).toMatchObject([
    { network: "10.0.1.0/24", hours: 1, reads: 1 },
    { network: "10.0.0.0/24", hours: 2, reads: 5, client: "curl/8" },
  ])
  expect(Date.parse(networks[1]?.lastAt ?? "")).toBe(3_005)
})
