import type { User } from "@envkeep/contract"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { backUp, backupFile } from "@envkeep/testing/commands.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import type { Person } from "@envkeep/testing/person.ts"
import { restored } from "@envkeep/testing/restored.ts"
import { expect, test, vi } from "vitest"
import { theServer } from "../../../access/caller.ts"
import { purge } from "../../../bounds/expiring-rows.ts"
import { purgeOf } from "../../../jobs/purges.ts"
import { createReset } from "./rules.ts"

const newPassword = "a password after the reset"
const hourMs = 3_600_000

const idOf = async (person: Person) => (await person.get<User>("/users/me")).body.data.id

const reset = (person: Person, token: string, chosen = newPassword) =>
  person.post("/users/password/reset", { token, password: chosen, password2: chosen })

const check = (person: Person, token: string) => person.post("/users/password/reset-link", { token })

const logIn = async ({ guest }: TestApp, { email }: Person, secret: string) =>
  (await guest.post("/users/login", { email, password: secret })).status

const refused = (msg: string) => ({ status: 400, body: { error: true, msg, data: null } })
const used = refused("This link has been used already")
const expired = refused("This link has expired")
const unknown = refused("This link is not valid")

test("a reset link sets a new password and ends all sessions of the account, and no others", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { token } = await createReset(app.core, theServer, await idOf(ann))

  expect(await check(app.guest, token)).toMatchObject({ status: 200 })
  expect(await reset(app.guest, token)).toMatchObject({
    status: 200,
    body: { error: false, msg: "Password updated successfully. Please log in with it" },
  })
  expect([(await ann.get("/collection")).status, (await bob.get("/collection")).status]).toEqual([401, 200])
  expect([await logIn(app, ann, password), await logIn(app, ann, newPassword)]).toEqual([401, 200])
  // Not even who can read the database learns the token.
  expect(JSON.stringify(await app.db.selectFrom("password_reset").selectAll().execute())).not.toContain(token)
})

testOnce("the browser that resets a password is signed out, also of another account", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const { token } = await createReset(app.core, theServer, await idOf(ann))
  const { cookie } = bob
  expect(await reset(bob, token)).toMatchObject({ status: 200 })
  expect((await app.guest.get("/users/me", { cookie })).body.data).toBeNull()
})

test("a reset link works once, even if it is used twice at the same time", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { token } = await createReset(app.core, theServer, await idOf(ann))
  const answers = await Promise.all([reset(app.guest, token), reset(app.guest, token, "another new password")])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(answers.find(({ status }) => status === 400)).toMatchObject(used)
  expect([await check(app.guest, token), await reset(app.guest, token)]).toMatchObject([used, used])
})

test("a link expires after 24 hours, and is forgotten a month later", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { token } = await createReset(app.core, theServer, await idOf(ann))
  vi.useFakeTimers({ toFake: ["Date"] })
  try {
    vi.setSystemTime(Date.now() + 24 * hourMs - 60_000)
    expect((await check(app.guest, token)).status).toBe(200)
    vi.setSystemTime(Date.now() + 60_000)
    expect([await check(app.guest, token), await reset(app.guest, token)]).toMatchObject([expired, expired])
    vi.setSystemTime(Date.now() + 31 * 24 * hourMs)
    await purge(app.core, purgeOf("password_reset"))
    expect(await check(app.guest, token)).toMatchObject(unknown)
  } finally {
    vi.useRealTimers()
  }
  expect(await logIn(app, ann, password)).toBe(200)
})

testOnce(
  "a newer link, a changed password and a changed e-mail end a link, and a made-up one never worked",
  async () => {
    const app = await testApp()
    const ann = await app.user()
    const id = await idOf(ann)
    const { token: first } = await createReset(app.core, theServer, id)
    const { token: second } = await createReset(app.core, theServer, id)
    expect(await reset(app.guest, first)).toMatchObject(unknown)
    expect((await check(app.guest, second)).status).toBe(200)
    await ann.put("/users/password", { oldPassword: password, password, password2: password })
    expect(await reset(app.guest, second)).toMatchObject(unknown)
    const { token: third } = await createReset(app.core, theServer, id)
    await ann.put("/users", { username: "ann", email: "ann@elsewhere.example.com" })
    expect(await reset(app.guest, third)).toMatchObject(unknown)
    for (const token of ["", "made-up token"]) expect(await reset(app.guest, token)).toMatchObject(unknown)
  },
)

testOnce("the new password follows the rules of every password, and the link stays usable", async () => {
  const app = await testApp()
  const { token } = await createReset(app.core, theServer, await idOf(await app.user()))
  const send = (chosen: string, again: string) =>
    app.guest.post("/users/password/reset", { token, password: chosen, password2: again })
  expect(await send("", "")).toMatchObject(refused("Please fill all the fields"))
  expect(await send(newPassword, password)).toMatchObject(refused("Passwords do not match"))
  expect(await send("short", "short")).toMatchObject(refused("Password must be at least 8 characters"))
  expect(await send(newPassword, newPassword)).toMatchObject({ status: 200 })
})

testOnce("guesses at links from one address are limited", async () => {
  const app = await testApp()
  for (let n = 0; n < 100; n++) expect((await check(app.guest, `made-up token ${n}`)).status).toBe(400)
  expect(await reset(app.guest, "made-up token")).toMatchObject({
    status: 429,
    body: { msg: "Too many attempts. Please try again in 15 minutes" },
  })
})

testOnce("a backup keeps who is disabled, and no link", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const [annId, bobId] = [await idOf(ann), await idOf(bob)]
  await app.db.updateTable("user").set({ disabled_at: Date.now() }).where("id", "=", bobId).execute()
  const { token } = await createReset(app.core, theServer, annId)
  const file = await backupFile()
  await backUp(app.location, file)
  const copy = await restored(app, file)
  expect(await logIn(copy, ann, password)).toBe(200)
  expect(await logIn(copy, bob, password)).toBe(403)
  expect(await check(copy.guest, token)).toMatchObject(unknown)
})
