import { sentences, type Team, type User } from "@envkeep/contract"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { addCollections } from "@envkeep/testing/collections.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { lockHolder } from "@envkeep/testing/lock-holder.ts"
import { sql } from "kysely"
import { expect, test, vi } from "vitest"
import { maxLeftAtOnce } from "./leave.ts"
import { deleteAccount } from "./rules.ts"

test("if the database fails after the trash was emptied, the answer says so, and the next try deletes the account", async () => {
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  await ann.item(environment, "NAME")
  await ann.delete(`/collection/${environment.collectionId}`)
  await endConnectionAt(app, 'delete on "user"')
  const deleteOwn = () => ann.post("/users/me/delete", { password })
  expect(await deleteOwn()).toMatchObject({ status: 503, body: { msg: sentences.deletionBegun } })
  expect(await ann.get("/trash")).toMatchObject({ status: 200, body: { data: { total: 0 } } })
  // There is no trash any more, so this time nothing was changed.
  expect(await deleteOwn()).toMatchObject({ status: 503, body: { msg: sentences.databaseAway } })

  await sql`drop trigger end_connection on "user"`.execute(app.db)
  expect(await deleteOwn()).toMatchObject({ status: 200 })
  expect(await app.db.selectFrom("user").selectAll().execute()).toEqual([])
})

test("if the database fails while collections of others are left, the answer says so, and the next try goes on", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const annId = (await ann.get<User>("/users/me")).body.data.id
  const ids = await addCollections(app.db, bob, 2 * maxLeftAtOnce + 1)
  const reader = { user_id: annId, role: "reader" as const, created_at: 0 }
  await app.db
    .insertInto("collection_member")
    .values(ids.map((collection_id) => ({ ...reader, collection_id })))
    .execute()
  // Of the second change.
  await endConnectionAt(app, 'delete on "collection_member"', `old.collection_id = ${ids.at(-1)}`)

  const deleteOwn = () => ann.post("/users/me/delete", { password })
  const memberships = async () => {
    const rows = app.db.selectFrom("collection_member").select("collection_id").where("user_id", "=", annId)
    return (await rows.orderBy("collection_id").execute()).map((row) => row.collection_id)
  }
  expect(await deleteOwn()).toMatchObject({ status: 503, body: { msg: sentences.deletionBegun } })
  expect(await memberships()).toEqual([...ids.slice(0, maxLeftAtOnce), ids.at(-1)])
  await sql`drop trigger end_connection on "collection_member"`.execute(app.db)
  expect(await deleteOwn()).toMatchObject({ status: 200 })
  expect(await memberships()).toEqual([])
})

/** As if an administrator of the database had ended the connection. */
async function endConnectionAt({ db }: TestApp, event: string, condition = "true"): Promise<void> {
  await sql`create function end_connection() returns trigger language plpgsql
    as $$ begin raise exception using errcode = '57P01'; end $$`.execute(db)
  const row = condition === "true" ? "" : `for each row when (${condition})`
  await sql.raw(`create trigger end_connection before ${event} ${row} execute function end_connection()`).execute(db)
}

test("an admin who leaves a team while the other admin's account is deleted is the last one", async () => {
  const app = await testApp()
  const { waitingForLock } = await lockHolder(app)
  const [ann, bob, member] = [await app.user(), await app.user(), await app.user()]
  const { id } = (await ann.post<{ id: number }>("/teams", { name: "team" })).body.data
  await ann.post(`/teams/${id}/members`, { who: bob.email, isAdmin: true })
  await ann.post(`/teams/${id}/members`, { who: member.email })
  const annId = (await ann.get<User>("/users/me")).body.data.id

  const left = Promise.withResolvers<number>()
  const isReady = async () => {
    bob.post(`/teams/${id}/leave`).then(({ status }) => left.resolve(status), left.reject)
    await Promise.race([left.promise, vi.waitFor(async () => expect(await waitingForLock()).toBe(1), eventually)])
    return true
  }
  expect(await deleteAccount(app.core, annId, { isReady })).toBe("deleted")
  expect(await left.promise).toBe(409)
  expect((await member.get<Team>(`/teams/${id}`)).body.data.members.filter(({ isAdmin }) => isAdmin)).toHaveLength(1)
})
