import { type MailedInvitation, mailCalls, type User } from "@envkeep/contract"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { type MailServer, startMailServer } from "@envkeep/testing/mail-server.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import type { Action } from "../access/actions.ts"
import { theServer } from "../access/caller.ts"
import { createKeyRefusals } from "../features/variables/key-refusals.ts"
import { noPassword } from "../keys/password.ts"

const publicUrl = "https://env.example.com"
const settings = (url: string) => ({ SMTP_URL: url, PUBLIC_URL: publicUrl })

async function mailServer(options?: Parameters<typeof startMailServer>[0]): Promise<MailServer> {
  const server = await startMailServer(options)
  onTestFinished(server.close)
  return server
}

async function mailingApp(options?: Parameters<typeof startMailServer>[0]) {
  const server = await mailServer(options)
  const app = await testApp({ env: settings(server.url) })
  /** What has arrived since the last time. */
  const arrived = async () => {
    await app.sendMail()
    await app.sendMail()
    return server.received.splice(0)
  }
  return { app, server, arrived }
}

const idOf = async (one: Person) => (await one.get<User>("/users/me")).body.data.id

const logIn = (app: TestApp, email: string, secret = password) =>
  person(app.app).post("/users/login", { email, password: secret })

test("a forgotten password is set with a link that arrives by mail, works once and for an hour", async () => {
  const { app, arrived } = await mailingApp()
  const ann = await app.user("ann@example.com")
  const asked = await app.guest.post("/users/password/forgot", { email: "Ann@Example.com" })
  const done = mailCalls.users.forgotPassword.done
  expect(asked).toMatchObject({ status: 200, body: { error: false, msg: done, data: null } })
  const [mail, ...others] = await arrived()
  expect(others).toEqual([])
  expect(mail).toMatchObject({
    to: "ann@example.com",
    from: "envkeep@env.example.com",
    subject: "Set a new Envkeep password",
  })
  const [link = "", token = ""] = /https:\/\/env\.example\.com\/reset#([\w-]+)/.exec(mail?.text ?? "") ?? []
  expect(mail?.html).toContain(`<a href="${link}"`)
  expect(mail?.html).not.toMatch(/<(img|script|link|table)|url\(/)
  expect(mail?.headers.get("from")).toBe("Envkeep <envkeep@env.example.com>")
  expect(mail?.headers.get("auto-submitted")).toBe("auto-generated")

  const events = await app.db
    .selectFrom("audit_event")
    .select(["actor", "account_id"])
    .where("action", "=", "account.forgot-password")
    .execute()
  expect(events).toEqual([{ actor: "guest", account_id: await idOf(ann) }])
  const { expires_at } = await app.db.selectFrom("mailed_reset").select("expires_at").executeTakeFirstOrThrow()
  expect(Math.abs(expires_at - Date.now() - 3_600_000)).toBeLessThan(60_000)

  const chosen = "chosen after the mail"
  const reset = () => app.guest.post("/users/password/reset", { token, password: chosen, password2: chosen })
  expect((await reset()).status).toBe(200)
  expect(await reset()).toMatchObject({ status: 400, body: { msg: "This link has been used already" } })
  expect((await logIn(app, ann.email, chosen)).status).toBe(200)
  expect((await arrived()).map(({ to, subject }) => [to, subject])).toEqual([
    [ann.email, "Your Envkeep password was changed"],
    [ann.email, "New sign-in to your Envkeep account"],
  ])
})

test("the link of a mail sets a password for an account that has none", async () => {
  const { app, arrived } = await mailingApp()
  const ann = await app.user("ann@example.com")
  // As if a sign-in provider had made it.
  await app.db.updateTable("user").set({ password_hash: noPassword }).execute()
  expect((await logIn(app, ann.email)).status).toBe(401)
  await app.guest.post("/users/password/forgot", { email: ann.email })
  const [mail] = await arrived()
  const [, token = ""] = /\/reset#(\S+)/.exec(mail?.text ?? "") ?? []
  const reset = await app.guest.post("/users/password/reset", { token, password, password2: password })
  expect([reset.status, (await logIn(app, ann.email)).status]).toEqual([200, 200])
})

test("a link that anyone can ask for does not end an administrator's, and with either the other is used up", async () => {
  const { app, arrived } = await mailingApp()
  const [admin, ann] = [await app.admin(), await app.user("ann@example.com")]
  const made = await admin.post<{ token: string }>(`/admin/users/${await idOf(ann)}/reset-link`)
  await person(app.app).post("/users/password/forgot", { email: ann.email })
  const mails = (await arrived()).map(({ text }) => /\/reset#(\S+)/.exec(text)?.[1]).filter((one) => one !== undefined)
  expect(mails).toHaveLength(1)
  const check = async (token: string) => (await app.guest.post("/users/password/reset-link", { token })).status
  const { token } = made.body.data
  expect([await check(token), await check(mails[0] ?? "")]).toEqual([200, 200])

  const chosen = "chosen with a link"
  const reset = (by: string) =>
    app.guest.post("/users/password/reset", { token: by, password: chosen, password2: chosen })
  expect((await reset(token)).status).toBe(200)
  expect(await reset(mails[0] ?? "")).toMatchObject({ status: 400, body: { msg: "This link has been used already" } })
})

test("asking for a link tells nothing about an account, and is limited by address and by e-mail", async () => {
  // No job runs in between.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  const server = await mailServer()
  const statements: string[] = []
  const app = await testApp({ env: settings(server.url), logQuery: ({ query }) => statements.push(query.sql) })
  const ann = await app.user("ann@example.com")
  const disabled = await app.user("dora@example.com")
  await app.db.updateTable("user").set({ disabled_at: 1 }).where("email", "=", disabled.email).execute()
  const ask = async (email: string, from = "192.0.2.1") => {
    statements.length = 0
    const answer = await person(app.app).send({
      method: "POST",
      url: "/api/users/password/forgot",
      payload: { email },
      remoteAddress: from,
    })
    const { date: _, ...headers } = answer.headers
    return { status: answer.status, text: answer.text, headers, statements: [...statements] }
  }
  const known = await ask(ann.email)
  expect(known.status).toBe(200)
  expect(await ask("unknown@example.com")).toEqual(known)
  expect(await ask(disabled.email)).toEqual(known)
  await app.sendMail()
  expect(server.received.map(({ to }) => to)).toEqual([ann.email])
  expect(await app.db.selectFrom("mail").selectAll().execute()).toEqual([])

  for (const email of [ann.email, "unknown@example.com"]) {
    for (let times = 2; times <= 5; times++) expect((await ask(email, `198.51.${times}.1`)).status).toBe(200)
    expect((await ask(email, "203.0.113.9")).status).toBe(429)
  }
  const byAddress = []
  for (let at = 0; at < 21; at++) byAddress.push((await ask(`someone${at}@example.com`, "192.0.2.77")).status)
  expect(byAddress).toEqual([...Array(20).fill(200), 429])
  for (const body of [{}, { email: "" }, { email: 1 }, { email: "x".repeat(255) }, { email: "a@b", more: 1 }]) {
    expect((await app.guest.post("/users/password/forgot", body)).status).toBe(400)
  }
})

test("an invitation that names an e-mail is sent there, and its link can be used and is shown too", async () => {
  const { app, arrived } = await mailingApp()
  const [ann, admin] = [await app.user(), await app.admin()]
  const { id } = await ann.collection("payments")
  const team = (await ann.post<{ id: number }>("/teams", { name: "crew" })).body.data
  await arrived()
  const invite = async (one: Person, path: string, more = {}) => {
    const { status, body } = await one.post<MailedInvitation>(path, { email: "bob@example.com", ...more })
    expect([status, body.data.sentTo]).toEqual([201, "bob@example.com"])
    const [mail] = await arrived()
    expect(mail).toMatchObject({ to: "bob@example.com", subject: "someone invites you to Envkeep" })
    expect(mail?.text).toContain(`${publicUrl}/invitation#${body.data.secret}`)
    expect(mail?.html).toContain(`${publicUrl}/invitation#${body.data.secret}`)
    return mail?.text ?? ""
  }
  expect(await invite(ann, `/collections/${id}/invitations`, { role: "editor" })).toContain(
    "invites you to the collection payments as an editor at env.example.com",
  )
  expect(await invite(ann, `/teams/${team.id}/invitations`)).toContain("to the team crew at env.example.com")
  expect(await invite(admin, "/admin/invitations")).toContain("to make an account at env.example.com")

  const without = await ann.post<MailedInvitation>(`/collections/${id}/invitations`, { role: "reader" })
  expect(without.body.data.sentTo).toBeNull()
  const wrong = await ann.post(`/collections/${id}/invitations`, { role: "reader", email: "nonsense" })
  expect(wrong).toMatchObject({ status: 400, body: { msg: "Please enter a valid email address" } })
  const stranger = await (await app.user()).post(`/collections/${id}/invitations`, { role: "reader", email: "b@c" })
  expect(stranger.status).toBe(404)
  expect(await arrived()).toEqual([])
})

test("people are told of sign-ins from new browsers, and of changes of how they sign in", async () => {
  const { app, arrived } = await mailingApp()
  const ann = await app.user("ann@example.com")
  // From the browser that registered.
  expect(await arrived()).toEqual([])
  await ann.post("/users/login", { email: ann.email, password })
  expect(await arrived()).toEqual([])
  await person(app.app).post(
    "/users/login",
    { email: ann.email, password },
    {
      "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    },
  )
  const [signIn] = await arrived()
  expect(signIn).toMatchObject({ to: ann.email, subject: "New sign-in to your Envkeep account" })
  expect(signIn?.text).toContain("from the network 127.0.0.0/24, with Firefox on Linux")
  expect(signIn?.text).toContain("change your password now")
  expect(signIn?.text).toContain(`${publicUrl}/user/dashboard`)

  const next = "another good password"
  await ann.put("/users/password", { oldPassword: password, password: next, password2: next })
  expect(await arrived()).toMatchObject([{ to: ann.email, subject: "Your Envkeep password was changed" }])
  const admin = await app.admin()
  await arrived()
  const userId = await idOf(ann)
  await admin.post(`/admin/users/${userId}/reset-link`)
  expect(await arrived()).toMatchObject([{ to: ann.email, subject: "A link to reset your Envkeep password" }])

  await ann.put("/users", { username: "ann", email: "ann@example.com" })
  expect(await arrived()).toEqual([])
  await ann.put("/users", { username: "ann", email: "ann@new.example.com" })
  expect(await arrived()).toMatchObject([
    { to: "ann@example.com", subject: "The email of your Envkeep account was changed" },
  ])
  // The browser in which it was changed is not a new one.
  expect((await ann.post("/users/login", { email: "ann@new.example.com", password: next })).status).toBe(200)
  expect(await arrived()).toEqual([])

  for (const [action, subject] of [
    ["totp.enable", "Your Envkeep sign-in was changed"],
    ["passkey.remove", "Your Envkeep sign-in was changed"],
    ["passkey.rename", undefined],
    ["passkey.refuse", undefined],
    ["identity.connect", "Your Envkeep sign-in was changed"],
    ["recovery-code.use", "A recovery code of your Envkeep account was used"],
    ["factor.add", "Your Envkeep sign-in was changed"],
    ["session.refuse-factor", undefined],
    ["token.deny", undefined],
    ["token.revoke", undefined],
  ] as const) {
    await app.db.deleteFrom("attempt").execute()
    await app.core.change(theServer, action as Action, async (_, notes) => notes.about({ userId }))
    expect((await arrived()).map((mail) => mail.subject)).toEqual(subject === undefined ? [] : [subject])
  }
  await app.db.updateTable("user").set({ disabled_at: 1 }).where("id", "=", userId).execute()
  await app.core.change(theServer, "account.password", async (_, notes) => notes.about({ userId }))
  expect(await arrived()).toEqual([])
})

test("beyond five notices of a kind in an hour, an account gets one mail for the rest, when the hour is over", async () => {
  const server = await mailServer()
  const clock = { offsetMs: 0 }
  const app = await testApp({ env: settings(server.url), mail: { now: () => Date.now() + clock.offsetMs } })
  const [ann, bob] = [await app.user(), await app.user()]
  for (let times = 0; times < 12; times++) await logIn(app, ann.email)
  await logIn(app, bob.email)
  // Many of one kind keep back none of another.
  const next = "another good password"
  await ann.put("/users/password", { oldPassword: password, password: next, password2: next })
  await app.sendMail()
  expect(server.received.map(({ to }) => to)).toEqual([...Array(5).fill(ann.email), bob.email, ann.email])
  clock.offsetMs = 3_700_000
  await app.sendMail()
  expect(server.received.at(-1)).toMatchObject({ to: ann.email, subject: "More news about your Envkeep account" })
  expect(server.received.at(-1)?.text).toContain("There were 7 more notices")
  expect(server.received).toHaveLength(8)
})

test("owners are told once a day that a key is refused again and again", async () => {
  const { app, arrived } = await mailingApp()
  const [ann, bob, carol] = [await app.user(), await app.user(), await app.user()]
  const environment = await ann.environment("production")
  const { collectionId } = environment
  await ann.post(`/collections/${collectionId}/members`, { who: bob.email, role: "owner" })
  await ann.post(`/collections/${collectionId}/members`, { who: carol.email, role: "maintainer" })
  const key = await ann.apiKey(environment, "deploy")
  await ann.put(`/api-key/${key.id}/disabled`, { isDisabled: true })
  await arrived()
  const refuse = async (times: number) => {
    const refusals = createKeyRefusals(app.core)
    const caller = { address: "192.0.2.1" } as never
    for (let at = 0; at < times; at++) refusals.note({ caller, keyId: key.id, reason: "disabled" })
    await refusals.flush()
    return arrived()
  }
  expect(await refuse(9)).toEqual([])
  const mails = await refuse(3)
  expect(mails.map(({ to }) => to)).toEqual([ann.email, bob.email])
  expect(mails[0]).toMatchObject({ subject: "The API key deploy is being refused" })
  expect(mails[0]?.text).toContain("the API key deploy of production in app, and was refused 12 times today")
  expect(mails[0]?.text).toContain(`${publicUrl}/collection/${collectionId}`)
  expect(await refuse(20)).toEqual([])
  const events = await app.db
    .selectFrom("audit_event")
    .select("details")
    .where("action", "=", "api-key.refuse")
    .execute()
  expect(events.map(({ details }) => JSON.parse(details))).toEqual([{ refused: 12 }])
})

test("names that users choose break out of nothing, and become no links", async () => {
  const recipients: string[] = []
  const { app, arrived } = await mailingApp({
    onRcptTo({ address }, _, done) {
      recipients.push(address)
      done()
    },
  })
  const ann = await app.user("ann@example.com")
  const hostile = 'x\r\nBcc: eve@evil.example\r\n\r\n<img src=x onerror=alert(1)>"&lt; https://evil.example/login'
  await app.db.updateTable("user").set({ username: hostile }).where("email", "=", ann.email).execute()
  const { id } = await ann.collection("app")
  await app.db.updateTable("collection").set({ name: hostile }).where("id", "=", id).execute()
  await arrived()
  await ann.post(`/collections/${id}/invitations`, { role: "reader", email: "bob@example.com" })
  const [mail, ...others] = await arrived()
  expect(others).toEqual([])
  expect(mail?.to).toBe("bob@example.com")
  expect([...(mail?.headers.keys() ?? [])]).not.toContain("bcc")
  expect(mail?.headers.get("to")).toBe("bob@example.com")
  expect(mail?.html).not.toMatch(/<img|onerror=alert\(1\)>/)
  expect(mail?.html).toContain("&lt;img src=x")
  for (const part of [mail?.text, mail?.html, mail?.subject]) expect(part).not.toMatch(/https:\/\/evil\.example/)
  expect(mail?.text.split("\n")[0]).toMatch(/^x Bcc: .*invites you to the collection x Bcc:/)

  for (const [email, exactly] of [
    ["a,b,c@corp", ['"a,b,c"@corp']],
    ['a"b@example.com', ['"a\\"b"@example.com']],
    ["team:a;b@example.com", ['"team:a;b"@example.com']],
    ["o'neil+x@bücher.example", ["o'neil+x@bücher.example"]],
    // To no one, rather than to another address.
    ["x<victim@example.com>", []],
    ["<x>@example.com", []],
    ["a>b@example.com", []],
    ["a@b,c.example", []],
    // The mail server is not to blame, so the next mail does not wait.
    ["carol@example.com", ["carol@example.com"]],
  ] as const) {
    recipients.length = 0
    const answer = await ann.post(`/collections/${id}/invitations`, { role: "reader", email })
    await arrived()
    expect([email, answer.status, recipients]).toEqual([email, 201, exactly])
  }
  const failed = await app.db.selectFrom("mail").select(["fault", "gave_up_at"]).orderBy("id").execute()
  const [invalid, refused] = ["invalid recipient", "recipient 501"]
  expect(failed.map(({ fault }) => fault)).toEqual([invalid, invalid, invalid, refused])
  expect(failed.map(({ gave_up_at }) => gave_up_at === null)).toEqual([false, false, false, true])
})

test("without a mail server, no call and no answer is about mail", async () => {
  const app = await testApp()
  const [ann, admin] = [await app.user(), await app.admin()]
  const { id } = await ann.collection()
  const unknown = await app.guest.post("/users/password/unknown", {})
  const forgot = await app.guest.post("/users/password/forgot", { email: ann.email })
  expect([forgot.status, forgot.text]).toEqual([404, unknown.text])
  expect((await admin.get("/admin/mail")).text).toBe((await admin.get("/admin/unknown")).text)
  const path = `/collections/${id}/invitations`
  expect(await ann.post(path, { role: "reader", email: "bob@example.com" })).toMatchObject({
    status: 400,
    body: { msg: "Unknown field: email" },
  })
  expect(Object.keys((await ann.post<object>(path, { role: "reader" })).body.data)).not.toContain("sentTo")
  await logIn(app, ann.email)
  expect(await app.db.selectFrom("mail").selectAll().execute()).toEqual([])
  const { text: docs } = await app.guest.get("/openapi.json")
  expect(docs).not.toMatch(/forgot|admin\/mail|sentTo|(?<!e-)\bmails?\b/)

  const server = await mailServer()
  const mailing = await testApp({ env: settings(server.url) })
  expect((await mailing.guest.get("/openapi.json")).text).toContain("/api/users/password/forgot")
  expect((await mailing.guest.get("/docs")).text).toContain("/api/admin/mail")
})
