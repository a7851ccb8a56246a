import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { admin, callCommand } from "@envkeep/testing/commands.ts"
import { engine } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { run } from "@envkeep/testing/process.ts"
import { expect, test } from "vitest"
import { adminCommand } from "./admin.ts"

/** More than one notification of PostgreSQL can name. */
const manyCollections = 300

async function addCollections({ db }: TestApp, { email }: Person): Promise<void> {
  const { id } = await db.selectFrom("user").select("id").where("email", "=", email).executeTakeFirstOrThrow()
  const names = Array.from({ length: manyCollections }, (_, index) => `app ${index}`)
  const rows = names.map((name) => ({ owner_id: id, name, description: "", data_key: new Uint8Array() }))
  await db.insertInto("collection").values(rows).execute()
}

test("a deleted account's keys and sessions are refused on every running node, and others stay", async () => {
  const app = await testApp()
  const other = await testApp({ location: app.location })
  const [ann, bob] = [await app.user("ann@example.com"), await app.user()]
  const environment = await ann.environment()
  await ann.item(environment)
  const { key } = await ann.apiKey(environment)
  const bobs = await bob.apiKey(await bob.environment())
  await addCollections(app, ann)
  const read = async (node: TestApp, withKey = key) => (await node.guest.variables(withKey)).status
  expect([await read(app), await read(other)]).toEqual([200, 200])

  // In a process of its own: within one turn of the event loop, a server looks at SQLite's file once.
  expect(await run(app.location, { args: ["admin", "delete", "ANN@example.com", "--yes"] }).ended).toEqual({
    code: 0,
    out: `Deleted 1 account, ${manyCollections + 1} collections, 1 environment, 1 item and 1 API key\n`,
    err: "",
  })
  for (const node of [app, other]) {
    // PostgreSQL tells other processes of a commit a moment later. The very next read sees SQLite's file.
    if (engine === "postgres") await expect.poll(() => read(node), eventually).toBe(401)
    expect(await read(node)).toBe(401)
    expect(await read(node, bobs.key)).toBe(200)
  }
  expect((await ann.get("/collection")).status).toBe(401)
  const login = { email: ann.email, password: "correct horse battery staple" }
  expect((await app.guest.post("/users/login", login)).status).toBe(401)
  for (const table of ["collection", "environment", "session"] as const) {
    expect(await app.db.selectFrom(table).select("id").execute()).toHaveLength(1)
  }
})

test("an account is deleted once its e-mail is typed, and without a terminal only with --yes", async () => {
  const { user, location, db } = await testApp()
  const { email } = await user()
  const remove = (answer?: string) =>
    callCommand(adminCommand, location, { args: ["delete", email], ...(answer === undefined ? {} : { answer }) })
  const refused = (err: string) => ({ exitCode: 1, out: [], err: [err] })

  expect(await remove()).toEqual(refused("there is no terminal to confirm at: add --yes. Nothing was deleted"))
  expect(await remove("yes")).toEqual(refused("not confirmed. Nothing was deleted"))
  expect(await db.selectFrom("user").select("id").execute()).toHaveLength(1)

  expect(await remove(email)).toMatchObject({ exitCode: 0 })
  expect(await db.selectFrom("user").select("id").execute()).toEqual([])
  expect(await remove(email)).toEqual(refused(`there is no account with the e-mail ${email}`))
})

test("the last administrator cannot be deleted, even if two are at the same time", async () => {
  const app = await testApp()
  const emails = [(await app.admin()).email, (await app.admin()).email]

  const outcomes = await Promise.all(emails.map((email) => admin(app.location, "delete", email, "--yes")))
  expect(outcomes.map(({ exitCode }) => exitCode).toSorted()).toEqual([0, 1])
  const [left] = (await admin(app.location, "list")).out
  expect(outcomes.flatMap(({ err }) => err)).toEqual([
    `${left} is the last administrator: make another account one first. Nothing was deleted`,
  ])
})
