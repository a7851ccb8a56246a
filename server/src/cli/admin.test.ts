import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { admin, callCommand } from "@envkeep/testing/commands.ts"
import { engine } from "@envkeep/testing/database.ts"
import { readEvents } from "@envkeep/testing/events.ts"
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

test("a disabled account's sessions, keys, watchers and password are refused on every node, until it is enabled", async () => {
  const app = await testApp()
  const other = await testApp({ location: app.location })
  const [ann, bob] = [await app.user("ann@example.com"), await app.user()]
  const environment = await ann.environment()
  await ann.item(environment)
  const { key } = await ann.apiKey(environment)
  const bobs = await bob.apiKey(await bob.environment())
  const read = async (node: TestApp, withKey = key) => (await node.guest.variables(withKey)).status
  const logIn = (secret: string) => app.guest.post("/users/login", { email: ann.email, password: secret })
  const url = await other.app.listen({ port: 0, host: "127.0.0.1" })
  const headers = { authorization: `Bearer ${key}` }
  const events = readEvents(await fetch(`${url}/api/v1/variables/watch`, { headers }))
  expect((await events.next()).value).toMatchObject({ event: "revision" })
  expect([await read(app), await read(other)]).toEqual([200, 200])

  expect(await run(app.location, { args: ["admin", "disable", "ANN@example.com"] }).ended).toMatchObject({
    code: 0,
    out: "ann@example.com is disabled: every session has ended, and the password and the API keys are refused\n",
  })
  for (const node of [app, other]) {
    if (engine === "postgres") await expect.poll(() => read(node), { interval: 5 }).toBe(401)
    expect(await read(node)).toBe(401)
    expect(await read(node, bobs.key)).toBe(200)
  }
  expect((await events.next()).value).toMatchObject({ event: "gone" })
  expect((await ann.get("/collection")).status).toBe(401)
  // Only who knows the password learns that the account is disabled.
  expect(await logIn("wrong password")).toMatchObject({ status: 401, body: { msg: "Invalid credentials" } })
  expect(await logIn(password)).toMatchObject({
    status: 403,
    body: { msg: "This account is disabled. Please ask the administrator of this server" },
  })

  expect((await admin(app.location, "disable", ann.email)).out).toEqual(["ann@example.com is disabled already"])
  expect((await admin(app.location, "enable", ann.email)).out).toEqual([
    "ann@example.com is enabled: the password and the API keys work again",
  ])
  expect([await read(app), await read(other)]).toEqual([200, 200])
  expect((await ann.get("/collection")).status).toBe(401)
  expect((await logIn(password)).status).toBe(200)
  expect((await admin(app.location, "enable", ann.email)).out).toEqual(["ann@example.com is not disabled"])
})

test("the last administrator who can log in is neither disabled nor deleted", async () => {
  const app = await testApp()
  const [first, second] = [await app.admin(), await app.admin()]
  expect(await admin(app.location, "disable", first.email)).toMatchObject({ exitCode: 0 })
  for (const verb of ["disable", "delete"]) {
    const [flag, outcome] = verb === "delete" ? [["--yes"], "deleted"] : [[], "changed"]
    expect(await admin(app.location, verb, second.email, ...flag)).toEqual({
      exitCode: 1,
      out: [],
      err: [`${second.email} is the last administrator: make another account one first. Nothing was ${outcome}`],
    })
  }
  expect(await admin(app.location, "delete", first.email, "--yes")).toMatchObject({ exitCode: 0 })
})

test("a reset link goes to standard output alone, with the address that people use", async () => {
  const { user, location } = await testApp()
  const { email } = await user()
  const link = (env: Record<string, string>) =>
    callCommand(adminCommand, location, { args: ["reset-link", email], env })

  const { exitCode, out, err } = await link({ PORT: "4000" })
  expect([exitCode, out]).toEqual([0, [expect.stringMatching(/^http:\/\/localhost:4000\/reset#[\w-]{43}$/)]])
  expect(err).toEqual([
    `${email} can set a new password with this link, once, within 24 hours. It replaces earlier links; send it to that person only`,
    expect.stringContaining("PUBLIC_URL is not set"),
  ])
  const published = await link({ PUBLIC_URL: "https://env.example.com" })
  expect(published.out).toEqual([expect.stringMatching(/^https:\/\/env\.example\.com\/reset#[\w-]{43}$/)])
  expect(published.err).toHaveLength(1)

  await admin(location, "disable", email)
  expect((await admin(location, "reset-link", email)).err).toContain(
    `${email} is disabled: \`npm run admin -- enable\` lets them log in again`,
  )
  expect(await admin(location, "reset-link", "nobody@example.com")).toMatchObject({ exitCode: 1, out: [] })
})
