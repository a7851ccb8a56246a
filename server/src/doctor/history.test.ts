import { testApp } from "@envkeep/testing/app.ts"
import { backUp, backupFile, callCommand } from "@envkeep/testing/commands.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { restored } from "@envkeep/testing/restored.ts"
import type { StoreLocation } from "@envkeep/testing/store-location.ts"
import { expect, test } from "vitest"
import { doctorCommand } from "../cli/doctor.ts"
import { readRootKey } from "../keys/root-key.ts"
import { sealSecret, unwrapDataKey } from "../keys/secrets.ts"

async function faultsOf(location: StoreLocation): Promise<string[]> {
  const { out } = await callCommand(doctorCommand, location)
  return out.filter((line) => line.startsWith("fault: ")).map((line) => line.slice("fault: ".length))
}

const complete = "ok: The history of every environment is complete"

/** An environment at revision 6: TOKEN was set twice, OTHER was removed, and OLD was renamed to NEW. */
async function storeWithHistory() {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment("production", (await ann.collection("shop")).id)
  const token = await ann.item(environment, "TOKEN", "hunter22")
  await ann.put(`/collectionItem/${token.id}`, { name: "TOKEN", value: "hunter23" })
  const other = await ann.item(environment, "OTHER", "of no use")
  await ann.delete(`/collectionItem/${other.id}`)
  const old = await ann.item(environment, "OLD", "renamed value")
  await ann.put(`/collectionItem/${old.id}`, { name: "NEW", value: "renamed value" })
  const at = `production of shop (id ${environment.id})`
  const revisionOf = async (name: string) => {
    const { revision } = await app.db
      .selectFrom("item_version")
      .select("revision")
      .where("name", "=", name)
      .orderBy("revision", "desc")
      .limit(1)
      .executeTakeFirstOrThrow()
    return revision
  }
  return { app, ann, environment, token, at, revisionOf }
}

test("renames, removals, copies, bases, the trash and a restored backup leave a history that is complete", async () => {
  const { app, ann, environment } = await storeWithHistory()
  const { collectionId } = environment
  await ann.post("/subcollection", {
    name: "copy",
    collectionId,
    from: { environmentId: environment.id, what: "values" },
  })
  await ann.post("/subcollection", {
    name: "heir",
    collectionId,
    from: { environmentId: environment.id, what: "inherit" },
  })
  await ann.item(environment, "MORE", "for the heir")
  const swapped = (await ann.itemsOf(environment)).map(({ name, value }) => ({ name, value: `${value}!` }))
  await ann.post(`/subcollection/${environment.id}/bulk`, swapped.slice(1))
  const gone = await ann.environment("gone", collectionId)
  await ann.item(gone, "IN_TRASH", "some value")
  await ann.delete(`/subcollection/${gone.id}`)
  expect((await callCommand(doctorCommand, app.location)).out).toContain(complete)

  const file = await backupFile()
  await backUp(app.location, file)
  const there = await restored(app, file)
  expect((await callCommand(doctorCommand, there.location)).out).toContain(complete)
})

test("an item whose newest version is missing is named, until its value is changed", async () => {
  const { app, ann, token, revisionOf } = await storeWithHistory()
  const revision = await revisionOf("TOKEN")
  await app.db.deleteFrom("item_version").where("name", "=", "TOKEN").execute()
  const faults = await faultsOf(app.location)
  expect(faults).toContain(
    `The newest version of the item TOKEN in production of shop (id ${token.id}) is missing: change its value once, so that the history has it again`,
  )
  expect(faults.filter((line) => line.startsWith(`Revision ${revision} of `))).toHaveLength(1)
  await ann.put(`/collectionItem/${token.id}`, { name: "TOKEN", value: "hunter24" })
  expect((await faultsOf(app.location)).join()).not.toContain("newest version")
})

testOnce("an item that holds something else than its newest version is named, and no value is", async () => {
  const { app, token } = await storeWithHistory()
  const older = await app.db
    .selectFrom("item_version")
    .select("sealed_value")
    .where("name", "=", "TOKEN")
    .orderBy("revision")
    .executeTakeFirstOrThrow()
  await app.db
    .updateTable("item")
    .set({ sealed_value: older.sealed_value ?? Buffer.alloc(0) })
    .where("id", "=", token.id)
    .execute()
  const { exitCode, out } = await callCommand(doctorCommand, app.location)
  expect(exitCode).toBe(1)
  expect(out).toContain(
    `fault: The item TOKEN in production of shop (id ${token.id}) is not what its newest version says: find out which value is right, and set it again`,
  )
  expect(out.join()).not.toMatch(/hunter2/)
})

testOnce("an item that disappeared without a removal is named", async () => {
  const { app, ann, environment, token } = await storeWithHistory()
  await app.db.deleteFrom("item").where("id", "=", token.id).execute()
  expect(await faultsOf(app.location)).toContainEqual(
    expect.stringMatching(
      /^The version TOKEN in production of shop \(id \d+\) is the newest of its name and no removal, but there is no such item: add it again/,
    ),
  )
  await ann.item(environment, "TOKEN", "hunter24")
  expect((await faultsOf(app.location)).join()).not.toContain("no such item")
})

test("revisions that are missing at the end, in between and at the beginning are named", async () => {
  const { app, environment, at } = await storeWithHistory()
  const { revision } = await app.db.selectFrom("environment").select("revision").executeTakeFirstOrThrow()
  const lacks = (which: string) =>
    `The history of the environment ${at} lacks ${which}: restore a backup if you need what is missing`
  const remove = (from: number, to: number) =>
    app.db
      .deleteFrom("revision")
      .where("environment_id", "=", environment.id)
      .where("number", ">=", from)
      .where("number", "<=", to)
      .execute()
  await remove(revision, revision)
  expect(await faultsOf(app.location)).toEqual([lacks(`revision ${revision}`)])
  await remove(3, 4)
  expect(await faultsOf(app.location)).toEqual([lacks(`revision ${revision}`), lacks("the revisions 3 to 4")])
  await remove(1, 1)
  expect(await faultsOf(app.location)).toContain(lacks("revision 1"))
  await remove(1, revision)
  expect(await faultsOf(app.location)).toEqual([lacks(`the revisions 1 to ${revision}`)])
})

testOnce("an environment that is behind its own history is named", async () => {
  const { app, at } = await storeWithHistory()
  const { revision } = await app.db.selectFrom("environment").select("revision").executeTakeFirstOrThrow()
  await app.db.updateTable("environment").set({ revision: 2 }).execute()
  expect(await faultsOf(app.location)).toContain(
    `The environment ${at} is at revision 2, but its history goes on to ${revision}: it cannot be changed; restore a backup`,
  )
})

test("a revision that lacks a version or a removal in the middle is named", async () => {
  const { app, at } = await storeWithHistory()
  const lacks = (number: number) =>
    expect.stringContaining(`Revision ${number} of the environment ${at} lacks versions`)
  // The first value of TOKEN, and the removal of OTHER.
  await app.db.deleteFrom("item_version").where("revision", "=", 2).execute()
  expect(await faultsOf(app.location)).toEqual([lacks(2)])
  await app.db.deleteFrom("item_version").where("revision", "=", 5).execute()
  expect(await faultsOf(app.location)).toEqual([lacks(2), lacks(5), expect.stringContaining("The version OTHER in ")])
})

testOnce("a version from before the kept history must have its revision", async () => {
  const { app } = await storeWithHistory()
  await app.db.updateTable("environment").set({ history_from: 5 }).execute()
  expect(await faultsOf(app.location)).toEqual([])
  await app.db.deleteFrom("revision").where("number", "=", 3).execute()
  expect(await faultsOf(app.location)).toEqual([
    expect.stringMatching(/^The version TOKEN in production of shop \(id \d+\) is of revision 3, which is missing/),
  ])
})

testOnce("what is being deleted forever has no history that must be complete", async () => {
  const { app } = await storeWithHistory()
  await app.db.updateTable("environment").set({ trashed_at: 0 }).execute()
  await app.db.deleteFrom("item_version").execute()
  expect((await callCommand(doctorCommand, app.location)).out).toContain(complete)
})

testOnce("a value that was sealed once more is the same value", async () => {
  const { app, environment, token } = await storeWithHistory()
  const [collection] = await app.db.selectFrom("collection").select(["id", "data_key"]).execute()
  const rootKey = await readRootKey(`${app.location.dataDir}/root.key`)
  const key = unwrapDataKey(
    rootKey === undefined ? [] : [rootKey],
    collection?.id ?? 0,
    collection?.data_key ?? Buffer.alloc(0),
  )
  if (key === undefined) throw new Error("the key of the collection does not open")
  const sealed = sealSecret(key, "hunter23", { kind: "item", environmentId: environment.id, name: "TOKEN" })
  await app.db.updateTable("item").set({ sealed_value: sealed }).where("id", "=", token.id).execute()
  expect(await faultsOf(app.location)).toEqual([])
})
