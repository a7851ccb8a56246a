import { type ActivityPage, limits, sentences } from "@envkeep/contract"
import { testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import {
  addPasskey as add,
  beginAdding,
  beginSignIn,
  listed,
  refused,
  signIn,
  tooLate,
} from "@envkeep/testing/passkey-use.ts"
import { type Authenticator, authenticator, cborBytes, cborMap, cborText } from "@envkeep/testing/passkeys.ts"
import { person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"
import { theServer } from "../../access/caller.ts"
import { purge } from "../../bounds/expiring-rows.ts"
import type { Tx } from "../../db/schema.ts"
import { purgeOf } from "../../jobs/purges.ts"
import { disableAccount } from "../users/administration.ts"
import { beginSession } from "../users/sessions/rules.ts"
import { checkPasskey } from "./use.ts"

test("passkeys are added, named, listed, used to log in without a password, and removed", async () => {
  const app = await testApp()
  const ann = await app.user()
  const [laptop, phone] = [authenticator(), authenticator({ counts: false, isSynced: true })]

  const options = await beginAdding(ann)
  expect(options).toMatchObject({
    rp: { id: "localhost", name: "Envkeep" },
    user: { name: ann.email, displayName: "someone" },
    attestation: "none",
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    excludeCredentials: [],
  })
  const first = await add(ann, laptop, " my laptop ")
  expect(first).toMatchObject({ name: "my laptop", host: "localhost", isSynced: false, lastUsedAt: null })
  const again = await beginAdding(ann)
  expect(again.excludeCredentials).toEqual([{ id: laptop.id, type: "public-key", transports: ["internal", "hybrid"] }])
  const second = await add(ann, phone, "phone")
  expect((await listed(ann)).map(({ id, isSynced }) => [id, isSynced])).toEqual([
    [second.id, true],
    [first.id, false],
  ])

  for (const key of [laptop, phone, phone, laptop]) {
    const { browser, answered } = await signIn(app, key)
    expect(answered).toMatchObject({ status: 200, body: { msg: "Logged in successfully", data: { email: ann.email } } })
    expect(String(answered.headers["set-cookie"])).toMatch(/envkeep_session=.*envkeep_device=/)
    expect(await browser.get("/users/me")).toMatchObject({ body: { data: { email: ann.email } } })
  }
  expect((await listed(ann)).every(({ lastUsedAt }) => lastUsedAt !== null)).toBe(true)

  const renamed = await ann.put(`/users/me/passkeys/${first.id}`, { name: "old laptop" })
  expect(renamed).toMatchObject({ status: 200, body: { data: { id: first.id, name: "old laptop" } } })
  expect(await ann.delete(`/users/me/passkeys/${first.id}`)).toMatchObject({ status: 200 })
  expect((await signIn(app, laptop)).answered).toMatchObject(refused)
  expect((await signIn(app, phone)).answered).toMatchObject({ status: 200 })

  const { events } = (await ann.get<ActivityPage>("/users/me/activity")).body.data
  const about = events.filter(({ action }) => action.startsWith("passkey."))
  expect(about.map(({ action, names }) => [action, ...names])).toEqual([
    ["passkey.remove", "old laptop"],
    ["passkey.rename", "old laptop"],
    ["passkey.add", "phone"],
    ["passkey.add", "my laptop"],
  ])
})

test("a passkey of another user, and one that is not registered, get the same answers", async () => {
  const app = await testApp()
  const [ann, bob] = [await app.user(), await app.user()]
  const [hers, unknown] = [authenticator(), authenticator()]
  const { id } = await add(ann, hers)
  for (const of of [id, 987_654]) {
    expect(await bob.put(`/users/me/passkeys/${of}`, { name: "mine" })).toMatchObject({
      status: 404,
      body: { msg: "Passkey not found" },
    })
    expect(await bob.delete(`/users/me/passkeys/${of}`)).toMatchObject({ status: 404 })
  }
  expect(await listed(bob)).toEqual([])

  const taken = hers.create(await beginAdding(bob))
  expect(await bob.post("/users/me/passkeys", { name: "mine", answer: taken })).toMatchObject({
    status: 409,
    body: { msg: "This passkey is registered already" },
  })
  // A challenge of one user is nothing to another.
  const forAnn = unknown.create(await beginAdding(ann))
  expect(await bob.post("/users/me/passkeys", { name: "mine", answer: forAnn })).toMatchObject({
    status: 400,
    body: { msg: sentences.passkeyExpired },
  })

  expect((await signIn(app, unknown)).answered).toMatchObject(refused)
  const forged = { ...unknown.get(await beginSignIn(app.guest)), id: hers.id, rawId: hers.id }
  expect(await app.guest.post("/users/login/passkey", { answer: forged })).toMatchObject(refused)
  // The passkey itself must say who signs in, and say the truth.
  for (const userHandle of ["b3RoZXI", "", null]) {
    expect((await signIn(app, hers, { userHandle })).answered).toMatchObject(refused)
  }
})

test("each challenge works once, for 5 minutes, and only for what it was made for", async () => {
  const app = await testApp()
  const ann = await app.user()
  const key = authenticator()
  await add(ann, key)

  const answer = key.get(await beginSignIn(app.guest))
  const twice = await Promise.all([1, 2].map(() => person(app.app).post("/users/login/passkey", { answer })))
  expect(twice.map(({ status }) => status).toSorted()).toEqual([200, 401])
  expect(await person(app.app).post("/users/login/passkey", { answer })).toMatchObject(tooLate)

  const failed = key.get(await beginSignIn(app.guest), { isVerified: false })
  await app.guest.post("/users/login/passkey", { answer: failed })
  expect(await app.guest.post("/users/login/passkey", { answer: failed })).toMatchObject(tooLate)

  const begun = await beginSignIn(app.guest)
  const row = await app.db.selectFrom("passkey_challenge").selectAll().executeTakeFirstOrThrow()
  expect(Math.abs(row.expires_at - Date.now() - 300_000)).toBeLessThan(60_000)
  expect(JSON.stringify(row)).not.toContain(begun.challenge)
  await app.db.updateTable("passkey_challenge").set({ expires_at: Date.now() }).execute()
  expect(await app.guest.post("/users/login/passkey", { answer: key.get(begun) })).toMatchObject(tooLate)
  await purge(app.core, purgeOf("passkey_challenge"))
  expect(await app.db.selectFrom("passkey_challenge").selectAll().execute()).toEqual([])

  const { challenge } = await beginAdding(ann)
  expect((await signIn(app, key, { challenge })).answered).toMatchObject(tooLate)
  expect((await signIn(app, key, { challenge: "bWFkZSB1cA" })).answered).toMatchObject(tooLate)
})

testOnce("an answer for another address, by another kind of call or without user verification is refused", async () => {
  const app = await testApp()
  const ann = await app.user()
  const key = authenticator()
  await add(ann, key)
  const elsewhere = sentences.passkeyOtherAddress("http://localhost")
  const refusals: [Parameters<Authenticator["get"]>[1], string][] = [
    [{ origin: "https://evil.example.com" }, elsewhere],
    [{ origin: "http://localhost:8080" }, elsewhere],
    [{ host: "evil.example.com" }, elsewhere],
    [{ crossOrigin: true }, elsewhere],
    [{ isVerified: false }, sentences.passkeyNotVerified],
    [{ isPresent: false }, sentences.passkeyRefused],
    [{ type: "webauthn.create" }, sentences.passkeyRefused],
  ]
  for (const [other, msg] of refusals) {
    expect((await signIn(app, key, other)).answered, JSON.stringify(other)).toMatchObject({
      status: 401,
      body: { msg },
    })
    const answer = authenticator().create(await beginAdding(ann), {
      ...other,
      ...(other?.type === undefined ? {} : { type: "webauthn.get" }),
    })
    const added = await ann.post("/users/me/passkeys", { name: "bad", answer })
    expect(added, JSON.stringify(other)).toMatchObject({ status: 400, body: { msg } })
  }
  expect(await listed(ann)).toHaveLength(1)
  for (const broken of ["e30", "bm90IEpTT04", "bnVsbA"]) {
    const answer = key.get(await beginSignIn(app.guest))
    const changed = { ...answer, response: { ...answer.response, clientDataJSON: broken } }
    expect(await app.guest.post("/users/login/passkey", { answer: changed })).toMatchObject(refused)
    const short = { ...answer, response: { ...answer.response, authenticatorData: broken } }
    expect(await app.guest.post("/users/login/passkey", { answer: short })).toMatchObject(refused)
  }
  // The number 1, an empty map, and what is no CBOR at all.
  for (const broken of ["AQ", "oA", "_w"]) {
    const answer = authenticator().create(await beginAdding(ann))
    const changed = { ...answer, response: { ...answer.response, attestationObject: broken } }
    expect(await ann.post("/users/me/passkeys", { name: "bad", answer: changed })).toMatchObject({ status: 400 })
  }
  const { events } = (await ann.get<ActivityPage>("/users/me/activity")).body.data
  expect(events.some(({ action }) => action === "session.refuse")).toBe(true)
})

testOnce("a counter that goes back is refused and recorded, because the passkey may have been copied", async () => {
  const app = await testApp()
  const ann = await app.user()
  const key = authenticator()
  await add(ann, key, "key ring")
  expect((await signIn(app, key, { counter: 7 })).answered).toMatchObject({ status: 200 })
  for (const counter of [7, 6, 0]) {
    const { answered } = await signIn(app, key, { counter })
    expect(answered).toMatchObject({ status: 401, body: { msg: sentences.passkeyCopied } })
  }
  // Only a right signature shows that there is a copy.
  const forged = { ...authenticator().get(await beginSignIn(app.guest), { counter: 1 }), id: key.id, rawId: key.id }
  expect(await app.guest.post("/users/login/passkey", { answer: forged })).toMatchObject(refused)
  expect((await signIn(app, key, { counter: 8 })).answered).toMatchObject({ status: 200 })
  const { events } = (await ann.get<ActivityPage>("/users/me/activity")).body.data
  const recorded = events.filter(({ action }) => action === "passkey.refuse")
  expect(recorded.map(({ names }) => names)).toEqual([["key ring"], ["key ring"], ["key ring"]])
})

test("a disabled account, a deleted one, and a passkey that is removed in the same moment sign no one in", async () => {
  const app = await testApp()
  const ann = await app.user()
  const [key, other] = [authenticator(), authenticator()]
  const { id } = await add(ann, key)
  await add(ann, other)
  const { id: userId } = (await ann.get<{ id: number }>("/users/me")).body.data

  const guest = { kind: "guest", address: "127.0.0.1", device: "", client: "" } as const
  const site = { publicOrigin: undefined, host: "localhost" }
  const check = async (used: Authenticator, counter: number) => {
    const answer = used.get(await beginSignIn(app.guest), { counter })
    return checkPasskey(app.core, guest, site, { answer, purpose: "sign-in" })
  }
  // Of two answers with one count, one is taken. After the passkey was removed, none is.
  const [one, same, later] = [await check(key, 5), await check(key, 5), await check(key, 6)]
  expect([await app.core.bookkeep(one.use), await app.core.bookkeep(same.use)]).toEqual([true, false])
  expect((await ann.delete(`/users/me/passkeys/${id}`)).status).toBe(200)
  expect(await app.core.bookkeep(later.use)).toBe(false)
  expect((await signIn(app, key)).answered).toMatchObject(refused)

  const answered = await check(other, 7)
  await disableAccount(app.core, theServer, userId)
  const within = async (tx: Tx) => void (await answered.use(tx))
  expect(await beginSession(app.core, guest, { userId, within })).toBeUndefined()
  const disabled = { status: 403, body: { msg: sentences.accountDisabled } }
  expect((await signIn(app, other)).answered).toMatchObject(disabled)
  expect((await signIn(app, other, { isVerified: false })).answered).toMatchObject({ status: 401 })
  await app.db.deleteFrom("user").where("id", "=", userId).execute()
  expect((await signIn(app, other)).answered).toMatchObject(refused)
  expect(await app.db.selectFrom("passkey").selectAll().execute()).toEqual([])
})

testOnce("a statement about the authenticator's maker is dropped unread, and the limit of passkeys holds", async () => {
  const app = await testApp()
  const ann = await app.user()
  const key = authenticator()
  // Certificates that no library has to look at.
  const attestation = cborMap([[cborText("x5c"), cborBytes(Buffer.from("not a list of certificates"))]])
  const answer = key.create(await beginAdding(ann), { attestation })
  expect(await ann.post("/users/me/passkeys", { name: "attested", answer })).toMatchObject({ status: 201 })
  expect((await signIn(app, key)).answered).toMatchObject({ status: 200 })

  const late = authenticator()
  const options = await beginAdding(ann)
  const row = await app.db.selectFrom("passkey").selectAll().executeTakeFirstOrThrow()
  const rows = Array.from({ length: limits.passkeysPerAccount - 1 }, (_, at) => {
    const { id: _id, ...copy } = row
    return { ...copy, credential_id: `copy-${at}` }
  })
  await app.db.insertInto("passkey").values(rows).execute()
  const full = { status: 400, body: { msg: "An account can have at most 20 passkeys" } }
  expect(await ann.post("/users/me/passkeys/begin", {})).toMatchObject(full)
  expect(await ann.post("/users/me/passkeys", { name: "late", answer: late.create(options) })).toMatchObject(full)
})

testOnce("challenges of users keep no guest out, and those of guests no user", async () => {
  const app = await testApp()
  const ann = await app.user()
  const { id } = await app.db.selectFrom("user").select("id").executeTakeFirstOrThrow()
  const waiting = Array.from({ length: limits.waitingPasskeySignIns }, (_, at) => ({
    challenge_hash: String(at),
    purpose: "register" as const,
    user_id: id,
    user_handle: null,
    expires_at: Date.now() + 300_000,
  }))
  for (let at = 0; at < waiting.length; at += 1_000) {
    await app.db
      .insertInto("passkey_challenge")
      .values(waiting.slice(at, at + 1_000))
      .execute()
  }
  const begin = (who: typeof ann) => who.post("/users/login/passkey/begin", {})
  expect(await begin(app.guest)).toMatchObject({ status: 200 })
  await app.db.updateTable("passkey_challenge").set({ user_id: null }).execute()
  const full = { status: 429, body: { msg: sentences.tooManyPasskeySignIns } }
  expect(await begin(app.guest)).toMatchObject(full)
  expect(await ann.post("/users/me/passkeys/begin", {})).toMatchObject({ status: 200 })

  // A user who begins sign-ins, as guests do, is counted as they are.
  for (let time = 2; time < 500; time++) expect(await begin(ann)).toMatchObject(full)
  const tooMany = { status: 429, body: { msg: expect.stringMatching(/^Too many attempts/) } }
  expect(await begin(ann)).toMatchObject(tooMany)
  expect(await begin(app.guest)).toMatchObject(tooMany)
  expect(await ann.post("/users/me/passkeys/begin", {})).toMatchObject({ status: 200 })
})

testOnce("the address decides whom passkeys are for: PUBLIC_URL, or else the host of the request", async () => {
  const published = await testApp({ env: { PUBLIC_URL: "https://env.example.com" } })
  expect(await beginSignIn(published.guest, { host: "other.example.com" })).toMatchObject({ rpId: "env.example.com" })
  const ann = await published.user()
  const key = authenticator({ origin: "https://env.example.com" })
  await add(ann, key)
  expect((await signIn(published, key)).answered).toMatchObject({ status: 200 })
  expect((await signIn(published, key, { origin: "https://other.example.com" })).answered).toMatchObject({
    body: { msg: sentences.passkeyOtherAddress("https://env.example.com") },
  })

  const app = await testApp()
  const bob = await app.user()
  const named = authenticator({ origin: "https://keys.example.com:8443" })
  const headers = { host: "keys.example.com:8443" }
  const answer = named.create(await beginAdding(bob, headers))
  expect(await bob.post("/users/me/passkeys", { name: "named", answer }, headers)).toMatchObject({
    status: 201,
    body: { data: { host: "keys.example.com" } },
  })
  const byName = named.get(await beginSignIn(app.guest, headers))
  expect(await person(app.app).post("/users/login/passkey", { answer: byName }, headers)).toMatchObject({ status: 200 })
  // By another name of the same server, it is told where it works.
  expect((await signIn(app, named, { origin: "http://localhost" })).answered).toMatchObject({
    status: 401,
    body: { msg: sentences.passkeyOtherAddress("keys.example.com") },
  })
  for (const host of ["192.0.2.7:3000", "[2001:db8::1]:3000", "127.0.0.1"]) {
    const needsName = { status: 400, body: { msg: sentences.passkeysNeedHostName } }
    expect(await app.guest.post("/users/login/passkey/begin", {}, { host })).toMatchObject(needsName)
    expect(await bob.post("/users/me/passkeys/begin", {}, { host })).toMatchObject(needsName)
  }
})
