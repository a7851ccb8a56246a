import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { setUpTotp } from "@envkeep/testing/authenticator.ts"
import { admin, callCommand } from "@envkeep/testing/commands.ts"
import { engine } from "@envkeep/testing/database.ts"
import { readEvents } from "@envkeep/testing/events.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { startMailServer } from "@envkeep/testing/mail-server.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { run } from "@envkeep/testing/process.ts"
import { expect, onTestFinished, test } from "vitest"
import { recountStoredBytes } from "../core/stored-bytes.ts"
import { adminCommand } from "./admin.ts"
import { doctorCommand } from "./doctor.ts"

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

test("a large account goes in small batches, and a deletion that was interrupted goes on when it is run again", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user("ann@example.com"), await app.user()]
  const [alone, shared, takenOver] = [await ann.environment(), await ann.environment(), await ann.environment()]
  const items = Array.from({ length: 250 }, (_, n) => ({ name: `NAME_${n}`, value: "v" }))
  for (const { id } of [alone, shared]) await ann.post(`/subcollection/${id}/bulk`, items)
  const keys: string[] = []
  for (const environment of [alone, shared, takenOver]) keys.push((await ann.apiKey(environment)).key)
  const share = (environment: typeof shared, role: string) =>
    ann.post(`/collections/${environment.collectionId}/members`, { who: bob.email, role })
  await share(shared, "editor")
  await share(takenOver, "owner")
  await bob.post(`/collections/${takenOver.collectionId}/take-over`)
  const executed: string[] = []
  const remove = (isInterrupted: boolean) =>
    callCommand(adminCommand, app.location, {
      args: ["delete", ann.email, "--yes"],
      logQuery({ query }) {
        executed.push(query.sql)
        if (isInterrupted && query.sql.startsWith('delete from "item"')) throw new Error("interrupted")
      },
    })
  const read = async () => Promise.all(keys.map(async (key) => (await app.guest.variables(key)).status))

  await expect(remove(true)).rejects.toThrow("interrupted")
  expect(await app.db.selectFrom("item").select("id").execute()).toHaveLength(400)
  // Nothing comes in any more.
  await expect.poll(read, eventually).toEqual([401, 401, 200])
  expect((await app.guest.post("/users/login", { email: ann.email, password })).status).toBe(403)
  const late = { name: "LATE", value: "v", subCollectionId: shared.id }
  expect((await bob.post("/collectionItem", late)).status).toBe(404)
  expect(await callCommand(doctorCommand, app.location)).toMatchObject({ exitCode: 0 })

  expect(await remove(false)).toMatchObject({ exitCode: 0 })
  expect(executed.filter((sql) => sql.startsWith('delete from "item"'))).toHaveLength(6)
  expect(await app.db.selectFrom("item").select("id").execute()).toEqual([])
  expect(await app.db.selectFrom("user").select("email").execute()).toEqual([{ email: bob.email }])
  expect(await read()).toEqual([401, 401, 200])
  const events = await app.db.selectFrom("audit_event").select(["action", "collection_id"]).orderBy("id").execute()
  expect(events.filter(({ action }) => /purge|disable|account.delete/.test(action))).toEqual([
    { action: "account.disable", collection_id: null },
    { action: "collection.purge", collection_id: alone.collectionId },
    { action: "collection.purge", collection_id: shared.collectionId },
    { action: "account.delete", collection_id: null },
  ])
})

testOnce("what others own too is deleted with an account only if that is said", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user("ann@example.com"), await app.user()]
  const [first, second] = [await ann.environment(), await ann.environment()]
  for (const { collectionId } of [first, second]) {
    await ann.post(`/collections/${collectionId}/members`, { who: bob.email, role: "owner" })
  }
  expect(await admin(app.location, "delete", ann.email, "--yes")).toEqual({
    exitCode: 1,
    out: [],
    err: [
      `others own these collections too: ${first.collectionId} (app), ${second.collectionId} (app). One of them can take each over on its Sharing page; --with-shared deletes them with the account. Nothing was deleted`,
    ],
  })
  expect(await ann.get("/collection")).toMatchObject({ status: 200 })

  await bob.post(`/collections/${first.collectionId}/take-over`)
  expect(await admin(app.location, "delete", ann.email, "--yes", "--with-shared")).toMatchObject({ exitCode: 0 })
  const left = await app.db.selectFrom("collection").select("id").execute()
  expect(left).toEqual([{ id: first.collectionId }])
  expect(await recountStoredBytes(app.db)).toBe(0)
})

testOnce("an account is deleted once its e-mail is typed, and without a terminal only with --yes", async () => {
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

testOnce(
  "a disabled account's sessions, keys, watchers and password are refused on every node, until it is enabled",
  async () => {
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
      out: "ann@example.com is disabled: every session has ended, and the password and the API keys of what it shares with no one are refused\n",
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
  },
)

testOnce("the last administrator who can log in is neither disabled nor deleted", async () => {
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

testOnce("without PUBLIC_URL, a link begins with the address that the server had at its last start", async () => {
  const { user, location } = await testApp()
  const { email } = await user()
  const link = async () => {
    const { out, err } = await admin(location, "reset-link", email)
    return [out[0]?.replace(/\/reset#.*/, ""), err[1]]
  }
  const start = async (env: Record<string, string>) => {
    const { child, output, ended } = run(location, { env: { LOG_FORMAT: "text", LOG_LEVEL: "info", ...env } })
    await expect.poll(() => output.out, eventually).toContain("Read on")
    child.kill("SIGTERM")
    return (await ended).out
  }

  const first = await start({ PUBLIC_URL: "https://env.example.com" })
  expect(first).not.toContain("At its last start")
  expect(await link()).toEqual([
    "https://env.example.com",
    "hint: PUBLIC_URL is not set, and https://env.example.com is where the server was at its last start. If people use another address than https://env.example.com, put that at the beginning",
  ])

  const second = await start({ HOST: "127.0.0.1" })
  const [, address = ""] = /Open +(http:\/\/localhost:\d+)\n/.exec(second) ?? []
  expect(second).toMatch(
    /^ +At its last start, this server was at https:\/\/env\.example\.com\. Set PUBLIC_URL if people use that one\.$/m,
  )
  expect(await link()).toEqual([address, expect.stringContaining(`${address} is where the server was`)])

  // What is no address is not believed, and the next start replaces it.
  await writeFile(join(location.dataDir, "last-address"), "javascript:alert(1)")
  expect(await link()).toEqual(["http://localhost:3000", expect.stringMatching(/^hint: PUBLIC_URL is not set\. /)])
  await start({ PUBLIC_URL: "https://env.example.com" })
  expect((await readdir(location.dataDir)).filter((name) => name.startsWith("last"))).toEqual(["last-address"])
  expect(await readFile(join(location.dataDir, "last-address"), "utf8")).toBe("https://env.example.com\n")
})

testOnce("a reset link goes to standard output alone, with the address that people use", async () => {
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

testOnce(
  "with the mail server's settings, the account's user gets a mail about a link; without the root key there is no link",
  async () => {
    const server = await startMailServer()
    onTestFinished(server.close)
    const env = { SMTP_URL: server.url, PUBLIC_URL: "https://env.example.com" }
    const app = await testApp({ env })
    const ann = await app.user("ann@example.com")
    await setUpTotp(ann)
    const arrived = async () => {
      await app.sendMail()
      return server.received.splice(0).map(({ to, subject }) => [to, subject])
    }
    await arrived()
    const make = (verb: string, more = {}) =>
      callCommand(adminCommand, app.location, { args: [verb, ann.email], env: { ...env, ...more } })

    for (const [verb, subject] of [
      ["reset-link", "A link to reset your Envkeep password"],
      ["factor-link", "A link to remove the second step of your sign-in"],
    ] as const) {
      const wrongKey = make(verb, { ENVKEEP_ROOT_KEY: "66".repeat(32) })
      await expect(wrongKey).rejects.toThrow("The root key does not fit this store")
      expect(await make(verb)).toMatchObject({ exitCode: 0 })
      expect(await arrived()).toEqual([[ann.email, subject]])
    }
    const links = app.db.selectFrom("audit_event").select("action").where("action", "like", "account.%-link")
    expect(await links.execute()).toHaveLength(2)

    expect(await admin(app.location, "reset-link", ann.email)).toMatchObject({ exitCode: 0 })
    expect(await arrived()).toEqual([])
  },
)
