import { sentences, type User } from "@envkeep/contract"
import { password, testApp } from "@envkeep/testing/app.ts"
import { setUpTotp } from "@envkeep/testing/authenticator.ts"
import { publicUrl, settingsFor } from "@envkeep/testing/oidc/client-settings.ts"
import { startForger } from "@envkeep/testing/oidc/forger.ts"
import { beginSignIn, go } from "@envkeep/testing/oidc/sign-in.ts"
import { testOnce as test } from "@envkeep/testing/once.ts"
import { addPasskey as add } from "@envkeep/testing/passkey-use.ts"
import { authenticator } from "@envkeep/testing/passkeys.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect } from "vitest"
import { noPassword } from "../../keys/password.ts"

// A passkey works at one host. What that means at another, and for the last way to sign in.

/** What can finish a login whose password was right. */
async function waysAt(browser: Person, email: string, host: string) {
  const { status, body } = await browser.post<{ secondFactor: object }>("/users/login", { email, password }, { host })
  expect([host, status]).toEqual([host, 403])
  return body.data.secondFactor
}

test("at another host, a password still needs a second step, and is told what can take it there", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { recoveryCodes = [] } = await add(ann, authenticator())
  expect(await waysAt(person(app.app), ann.email, "localhost:8080")).toEqual({
    totp: false,
    passkey: true,
    recoveryCode: true,
  })
  for (const host of ["env.example.com", "127.0.0.1:3000", "[::1]:3000"]) {
    const browser = person(app.app)
    const ways = await waysAt(browser, ann.email, host)
    expect([host, ways]).toEqual([host, { totp: false, passkey: false, recoveryCode: true }])
    expect((await browser.get("/collection", { host })).status).toBe(401)
    expect((await browser.post("/users/login/recovery-code", { code: recoveryCodes.pop() }, { host })).status).toBe(200)
    expect((await browser.get("/collection", { host })).status).toBe(200)
  }

  // With nothing left, an administrator's link helps.
  await app.db.deleteFrom("recovery_code").execute()
  const [lost, host] = [person(app.app), "env.example.com"]
  expect(await waysAt(lost, ann.email, host)).toEqual({ totp: false, passkey: false, recoveryCode: false })
  expect(await lost.post("/users/login/passkey/second-step/begin", {}, { host })).toMatchObject({
    status: 400,
    body: { msg: sentences.noPasskeyHere },
  })
  const { id } = (await ann.get<User>("/users/me")).body.data
  const { body } = await (await app.admin()).post<{ token: string }>(`/admin/users/${id}/factor-link`)
  expect((await lost.post("/users/login/factor-link", { token: body.data.token }, { host })).status).toBe(200)
})

test("at another host, confirming by a passkey is not offered", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { id } = await add(ann, authenticator())
  await app.db.updateTable("session").set({ confirmed_at: 0 }).execute()
  const refused = {
    "a call that is always confirmed": (host: string) => ann.delete(`/users/me/passkeys/${id}`, { host }),
    "a new e-mail": (host: string) => ann.put("/users", { username: "ann", email: "ann@new.example" }, { host }),
  }
  for (const [what, send] of Object.entries(refused)) {
    for (const [host, passkey] of [
      ["localhost:8080", true],
      ["env.example.com", false],
      ["127.0.0.1", false],
    ] as const) {
      const { status, body } = await send(host)
      expect([what, host, status, body.data]).toEqual([what, host, 403, { confirm: { password: true, passkey } }])
    }
  }
})

test("after a move to another PUBLIC_URL, passkeys of the old one are not offered, whatever host a client claims", async () => {
  const old = await testApp({ env: { PUBLIC_URL: publicUrl } })
  const ann = await old.user()
  await add(ann, authenticator({ origin: publicUrl }))
  const { recoveryCodes } = await setUpTotp(ann)
  const newUrl = "http://env.localhost:3999"
  const moved = await testApp({ env: { PUBLIC_URL: newUrl }, location: old.location })
  const browser = person(moved.app)
  for (const host of ["localhost:3999", "env.localhost:3999"]) {
    expect(await waysAt(browser, ann.email, host)).toEqual({ totp: true, passkey: false, recoveryCode: true })
  }
  expect((await browser.post("/users/login/recovery-code", { code: recoveryCodes[0] })).status).toBe(200)
  await add(browser, authenticator({ origin: newUrl }))
  expect(await waysAt(person(moved.app), ann.email, "localhost")).toMatchObject({ passkey: true })
})

const lastWay = (end: "disconnect" | "remove") => ({ status: 409, body: { msg: sentences.lastWayToSignIn(end) } })

/** An account without a password, of a person who has signed in at the provider and added a passkey. */
async function accountOfProvider() {
  const forger = await startForger()
  const app = await testApp({ env: settingsFor(forger.issuer) })
  const ann = person(app.app)
  await go(ann, forger.comeBack(await beginSignIn(ann)))
  const { id } = await add(ann, authenticator({ origin: publicUrl }))
  return { app, forger, ann, id }
}

test("the last passkey stays if the provider that could sign its user in is no longer configured", async () => {
  const { app, ann, id } = await accountOfProvider()
  const without = await testApp({ env: { PUBLIC_URL: publicUrl }, location: app.location })
  const there = person(without.app)
  there.cookie = ann.cookie
  expect(await there.delete(`/users/me/passkeys/${id}`)).toMatchObject(lastWay("remove"))
  expect((await ann.delete(`/users/me/passkeys/${id}`)).status).toBe(200)
})

test("a passkey of another host than PUBLIC_URL's is no way to sign in, neither beside a provider nor a passkey", async () => {
  const { app, forger, ann, id } = await accountOfProvider()
  const [identity] = await app.db.selectFrom("identity").select("id").execute()
  await app.db.updateTable("passkey").set({ host: "old.example.com" }).execute()
  expect(await ann.delete(`/users/me/identities/${identity?.id}`)).toMatchObject(lastWay("disconnect"))
  // A login at the provider is not told of it either.
  const other = person(app.app)
  expect(await go(other, forger.comeBack(await beginSignIn(other)))).toBe("/login?second-factor=recoveryCode")

  const here = await add(ann, authenticator({ origin: publicUrl }))
  expect((await ann.delete(`/users/me/identities/${identity?.id}`)).status).toBe(200)
  expect(await ann.delete(`/users/me/passkeys/${here.id}`)).toMatchObject(lastWay("remove"))
  expect((await ann.delete(`/users/me/passkeys/${id}`)).status).toBe(200)
})

test("without PUBLIC_URL, the server may have any name, so each passkey is a way to sign in", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { id } = await add(ann, authenticator())
  await app.db.updateTable("passkey").set({ host: "env.example.com" }).execute()
  const here = await add(ann, authenticator())
  await app.db.updateTable("user").set({ password_hash: noPassword }).execute()
  expect((await ann.delete(`/users/me/passkeys/${here.id}`)).status).toBe(200)
  expect(await ann.delete(`/users/me/passkeys/${id}`)).toMatchObject(lastWay("remove"))
})
