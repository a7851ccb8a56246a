import { password, testApp } from "@envkeep/testing/app.ts"
import { rotate } from "@envkeep/testing/commands.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { startMailServer } from "@envkeep/testing/mail-server.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { planOf } from "@envkeep/testing/plan.ts"
import { run } from "@envkeep/testing/process.ts"
import type { CompiledQuery } from "kysely"
import { expect, onTestFinished, test, vi } from "vitest"
import type { SenderParts } from "./sender.ts"

const hourMs = 3_600_000
const settings = (url: string) => ({ SMTP_URL: url, PUBLIC_URL: "https://env.example.com" })

async function mailServer(options?: Parameters<typeof startMailServer>[0]) {
  const server = await startMailServer(options)
  onTestFinished(server.close)
  return server
}

/** An app whose mails are sent in a time that the test moves. */
async function movableApp(url: string, mail: Partial<SenderParts> = {}) {
  const clock = { offsetMs: 0 }
  const app = await testApp({ env: settings(url), mail: { now: () => Date.now() + clock.offsetMs, ...mail } })
  const later = async (ms: number) => {
    clock.offsetMs += ms
    await app.sendMail()
  }
  return { app, later }
}

const forget = (app: { guest: { post(path: string, body: unknown): Promise<{ status: number }> } }, email: string) =>
  app.guest.post("/users/password/forgot", { email })

testOnce("a mail server that is away delays mails and nothing else, and gets each once when it is back", async () => {
  const gone = await mailServer()
  await gone.close()
  const { app, later } = await movableApp(gone.url)
  const admin = await app.admin()
  await later(0)
  // Both signed in from a new browser.
  const ann = await app.user("ann@example.com")
  ann.forget()
  expect((await ann.post("/users/login", { email: ann.email, password: "correct horse battery staple" })).status).toBe(
    200,
  )
  await later(0)
  await later(3_000)
  expect((await admin.get("/admin/mail")).body.data).toMatchObject({
    waiting: 1,
    givenUp: 0,
    lastFault: { fault: "unreachable", at: expect.any(String) },
  })
  const tries = app.mailCounts?.retried ?? 0
  // While it is away, it is not asked again and again.
  await later(1_000)
  expect(app.mailCounts?.retried).toBe(tries)
  await later(hourMs)
  expect(app.mailCounts?.retried).toBe(tries + 1)

  const back = await mailServer({ port: gone.port })
  await later(hourMs)
  await later(hourMs)
  expect(back.received.map(({ to, subject }) => [to, subject])).toEqual([
    ["ann@example.com", "New sign-in to your Envkeep account"],
  ])
  expect(await app.db.selectFrom("mail").selectAll().execute()).toEqual([])
  expect((await admin.get("/admin/mail")).body.data).toEqual({ waiting: 0, givenUp: 0, lastFault: null })
})

testOnce("after a day a mail is given up, a link after an hour, and only the reason is kept", async () => {
  const server = await mailServer({
    onRcptTo: (_, __, done) => done(Object.assign(new Error("no such user"), { responseCode: 550 })),
  })
  const { app, later } = await movableApp(server.url)
  const admin = await app.admin()
  const ann = await app.user("ann@example.com")
  ann.forget()
  await ann.post("/users/login", { email: ann.email, password: "correct horse battery staple" })
  await forget(app, ann.email)
  await later(0)
  await later(0)
  expect((await admin.get("/admin/mail")).body.data).toMatchObject({
    waiting: 2,
    lastFault: { fault: "recipient 550" },
  })
  await later(hourMs)
  await later(hourMs)
  expect((await admin.get("/admin/mail")).body.data).toMatchObject({ waiting: 1, givenUp: 1 })
  for (let hours = 0; hours < 25; hours++) await later(hourMs)
  expect((await admin.get("/admin/mail")).body.data).toMatchObject({
    waiting: 0,
    givenUp: 2,
    lastFault: { fault: "recipient 550" },
  })
  const rows = await app.db.selectFrom("mail").select(["sealed", "tries"]).execute()
  expect(rows.map(({ sealed }) => sealed)).toEqual([null, null])
  expect(Math.max(...rows.map(({ tries }) => tries))).toBeGreaterThan(5)
  expect(server.received).toEqual([])
})

test("links and notices do not wait behind invitations, and are found by an index", async () => {
  // No job sends anything in between.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  const server = await mailServer()
  const executed: CompiledQuery[] = []
  const app = await testApp({ env: settings(server.url), logQuery: ({ query }) => executed.push(query) })
  const ann = await app.user("ann@example.com")
  const { id } = await ann.collection()
  const invited = ["one@example.com", "two@example.com", "three@example.com"]
  for (const email of invited) {
    expect((await ann.post(`/collections/${id}/invitations`, { role: "reader", email })).status).toBe(201)
  }
  ann.forget()
  expect((await ann.post("/users/login", { email: ann.email, password })).status).toBe(200)
  expect((await forget(app, ann.email)).status).toBe(200)
  await app.sendMail()

  const invitation = "someone invites you to Envkeep"
  expect(server.received.map(({ to, subject }) => [to, subject])).toEqual([
    [ann.email, "New sign-in to your Envkeep account"],
    [ann.email, "Set a new Envkeep password"],
    ...invited.map((to) => [to, invitation]),
  ])
  expect(await app.db.selectFrom("mail").selectAll().execute()).toEqual([])
  const claims = executed.filter(({ sql }) => sql.startsWith('update "mail" set "claim"'))
  const [awaited, any] = await Promise.all(claims.slice(-2).map((claim) => planOf(app, claim)))
  expect(awaited).toContain("mail_awaited")
  expect(any).toContain("mail_due")
})

test("two nodes send each mail once", async () => {
  const server = await mailServer()
  const app = await testApp({ env: settings(server.url) })
  const other = await testApp({ env: settings(server.url), location: app.location })
  const people = await Promise.all(Array.from({ length: 10 }, () => app.user()))
  await Promise.all(people.map(({ email }) => forget(app, email)))
  const send = () => Promise.all([app.sendMail(), other.sendMail()])
  await expect
    .poll(async () => {
      await send()
      return app.db.selectFrom("mail").select("id").execute()
    })
    .toEqual([])
  expect(server.received.map(({ to }) => to).toSorted()).toEqual(people.map(({ email }) => email).toSorted())
})

testOnce("a mail server that takes a mail and answers late gets it once, also with another node beside", async () => {
  const handedOver = Promise.withResolvers<void>()
  let deliveries = 0
  const slow = await mailServer({
    onData(stream, _, done) {
      deliveries++
      stream.resume().on("end", () => {
        handedOver.resolve()
        setTimeout(done, 3_300)
      })
    },
  })
  const app = await testApp({ env: settings(slow.url), mail: { timeoutMs: 3_000 } })
  // By then the first node would still wait for the answer.
  const aheadMs = 10.5 * 60_000
  const other = await testApp({
    env: settings(slow.url),
    location: app.location,
    mail: { now: () => Date.now() + aheadMs },
  })
  const ann = await app.user("ann@example.com")
  ann.forget()
  await ann.post("/users/login", { email: ann.email, password: "correct horse battery staple" })
  const sending = app.sendMail()
  await handedOver.promise
  await other.sendMail()
  await sending
  expect(deliveries).toBe(1)
  expect(await app.db.selectFrom("mail").selectAll().execute()).toEqual([])
})

testOnce("a server that is killed while the mail server has the mail leaves it to the next one", async () => {
  const hanging = await mailServer({ onData: (stream) => void stream.resume() })
  const location = await newStoreLocation()
  const env = { ...settings(hanging.url), PUBLIC_URL: "http://env.example.com", ENVKEEP_ROOT_KEY: "55".repeat(32) }
  const { child, url, ended, output } = run(location, { env })
  const address = await url()
  const post = (path: string, body: unknown) =>
    fetch(`${address}/api${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    })
  const person = { email: "ann@example.com", password: "password of ann" }
  await post("/users/register", { ...person, username: "ann", password2: person.password })
  expect((await post("/users/login", person)).status).toBe(200)
  const next = await testApp({ env: { ...env, SMTP_URL: "smtp://127.0.0.1:1" }, location })
  const claimed = () => next.db.selectFrom("mail").select("claim").where("claim", "is not", null).execute()
  await expect.poll(claimed, eventually).toHaveLength(1)
  child.kill("SIGKILL")
  await ended
  expect(output.out).not.toContain("ann@example.com")
  await next.close()

  const server = await mailServer()
  const last = await testApp({
    env: { ...env, SMTP_URL: server.url },
    location,
    mail: { now: () => Date.now() + 20 * 60_000 },
  })
  await last.sendMail()
  expect(server.received.map(({ to }) => to)).toEqual(["ann@example.com"])
  expect(await last.db.selectFrom("mail").selectAll().execute()).toEqual([])
})

testOnce("what waits is sealed, and is sent after the root key was replaced", async () => {
  const location = await newStoreLocation()
  const server = await mailServer()
  const gone = "smtp://127.0.0.1:1"
  const app = await testApp({ env: settings(gone), location })
  const ann = await app.user("ann@example.com")
  await forget(app, ann.email)
  await app.sendMail()
  await app.close()
  await rotate(location)
  const next = await testApp({ env: settings(server.url), location, mail: { now: () => Date.now() + 120_000 } })
  const rows = await next.db.selectFrom("mail").selectAll().execute()
  expect(rows).toMatchObject([{ kind: "reset", fault: "unreachable" }])
  expect(Buffer.from(rows[0]?.sealed ?? []).toString("latin1")).not.toContain("ann@")
  await next.sendMail()
  expect(server.received.map(({ to, subject }) => [to, subject])).toEqual([
    ["ann@example.com", "Set a new Envkeep password"],
  ])
})
