import { testApp } from "@envkeep/testing/app.ts"
import { rebase } from "@envkeep/testing/chain.ts"
import { lockHolder } from "@envkeep/testing/lock-holder.ts"
import { expect, test } from "vitest"

// The order of locks that docs/architecture.md tells: where a change waits, it holds what comes before, and nothing after.

/** Two bases, an environment that inherits from the first, and one that inherits from that. The bases come last. */
async function withHeirs() {
  const app = await testApp()
  const ann = await app.user()
  const heir = await ann.environment("heir")
  const { collectionId } = heir
  const [middle, base, other] = [
    await ann.environment("middle", collectionId),
    await ann.environment("base", collectionId),
    await ann.environment("other", collectionId),
  ]
  for (const [one, above] of [
    [heir, middle],
    [middle, base],
  ] as const) {
    expect(await rebase(ann, one, above)).toMatchObject({ status: 200 })
  }
  const { holder, waitingForLock } = await lockHolder(app)
  /** Makes a change wait for what the statement locks, and says which of the environments it has locked by then. */
  const lockedBehind = async (statement: string, id: number, change: () => Promise<{ status: number }>) => {
    await holder.query("begin")
    await holder.query(statement, [id])
    const changed = change()
    await expect.poll(waitingForLock).toBe(1)
    const namesOf = async (lock: string) => {
      const { rows } = await holder.query<{ name: string }>(`select name from environment order by id ${lock}`)
      return rows.map(({ name }) => name)
    }
    const all = await namesOf("")
    const free = await namesOf("for update skip locked")
    await holder.query("rollback")
    expect(await changed).toMatchObject({ status: 200 })
    return all.filter((name) => !free.includes(name))
  }
  const atCollection = (change: () => Promise<{ status: number }>) =>
    lockedBehind("select id from collection where id = $1 for update", collectionId, change)
  const atEnvironment = ({ id }: { id: number }, change: () => Promise<{ status: number }>) =>
    lockedBehind("select id from environment where id = $1 for no key update", id, change)
  return { app, ann, collectionId, heir, middle, base, other, atCollection, atEnvironment }
}

test("another base: what inherits is locked before the collection", async () => {
  const { ann, middle, other, atCollection } = await withHeirs()
  expect(await atCollection(() => rebase(ann, middle, other))).toEqual(["heir", "middle", "other"])
})

test("protection: what inherits is locked before the collection", async () => {
  const { ann, base, atCollection } = await withHeirs()
  const protect = () => ann.put(`/environments/${base.id}/protection`, { isProtected: true, withHeirs: true })
  expect(await atCollection(protect)).toEqual(["heir", "middle", "base"])
})

test("a deletion that copies values down: what inherits is locked before the collection", async () => {
  const { ann, collectionId, base, other, atCollection } = await withHeirs()
  const last = await ann.environment("last", collectionId)
  for (const [one, above] of [
    [other, base],
    [last, other],
  ] as const) {
    expect(await rebase(ann, one, above)).toMatchObject({ status: 200 })
  }
  await ann.item(base, "COPIED", "down")
  const remove = () => ann.delete(`/subcollection/${base.id}?copyDown=true`)
  expect(await atCollection(remove)).toEqual(["heir", "middle", "base", "other", "last"])
})

test("another payer: bases are locked before what inherits from them, whatever their ids", async () => {
  const { app, ann, collectionId, base, atEnvironment } = await withHeirs()
  const bob = await app.user()
  const path = `/collections/${collectionId}`
  await ann.post(`${path}/members`, { who: bob.email, role: "owner" })
  const { id: userId } = (await bob.get<{ id: number }>("/users/me")).body.data
  expect(await ann.post(`${path}/transfer`, { userId })).toMatchObject({ status: 200 })
  const takeOver = () => bob.post(`${path}/take-over`)
  // It waits for the base, and holds nothing below it.
  expect(await atEnvironment(base, takeOver)).toEqual([])
})
