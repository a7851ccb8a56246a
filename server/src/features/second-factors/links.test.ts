import { type ActivityPage, sentences, type User } from "@envkeep/contract"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { nextCodeOf, setUpTotp } from "@envkeep/testing/authenticator.ts"
import { admin as adminCommand } from "@envkeep/testing/commands.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test, vi } from "vitest"
import { purge } from "../../bounds/expiring-rows.ts"
import { purgeOf } from "../../jobs/purges.ts"

const idOf = async (person: Person) => (await person.get<User>("/users/me")).body.data.id
const hourMs = 3_600_000

async function lost(app: TestApp) {
  const [admin, ann] = [await app.admin(), await app.user()]
  const totp = await setUpTotp(ann)
  const id = await idOf(ann)
  const newLink = async () => {
    const { body } = await admin.post<{ token: string; expiresAt: string }>(`/admin/users/${id}/factor-link`)
    return body.data
  }
  const use = async (token: string, browser = person(app.app)) => {
    const first = await browser.post("/users/login", { email: ann.email, password })
    return first.status === 403 ? browser.post("/users/login/factor-link", { token }) : first
  }
  return { admin, ann, id, totp, newLink, use }
}

const refused = (msg: string) => ({ status: 400, body: { error: true, msg, data: null } })

test("with an administrator's link and the password, a lost second factor is removed, once, and the events show it", async () => {
  const app = await testApp()
  const { admin, ann, id, newLink, use } = await lost(app)
  const ended = await newLink()
  await ann.post("/users/me/recovery-codes")
  expect(await use(ended.token)).toMatchObject(refused("This link is not valid"))
  const replaced = await newLink()
  const { token, expiresAt } = await newLink()
  expect(Math.abs(Date.parse(expiresAt) - Date.now() - 24 * hourMs)).toBeLessThan(60_000)
  expect(await app.guest.post("/users/login/factor-link", { token })).toMatchObject({
    status: 401,
    body: { msg: sentences.signInExpired },
  })
  expect(await use(replaced.token)).toMatchObject(refused("This link is not valid"))
  const eve = await app.user()
  await setUpTotp(eve)
  const browser = person(app.app)
  await browser.post("/users/login", { email: eve.email, password })
  expect(await browser.post("/users/login/factor-link", { token })).toMatchObject(refused("This link is not valid"))

  const both = [person(app.app), person(app.app)]
  for (const one of both) await one.post("/users/login", { email: ann.email, password })
  const answers = await Promise.all(both.map((one) => one.post("/users/login/factor-link", { token })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(answers.find(({ status }) => status === 200)?.body.msg).toBe(
    "Logged in successfully. Your second factors were removed",
  )
  expect(answers.find(({ status }) => status === 400)).toMatchObject(refused("This link has been used already"))
  // Her other sessions have ended: one of them may be on the lost phone.
  expect((await ann.get("/collection")).status).toBe(401)
  const winner = both[answers.findIndex(({ status }) => status === 200)] as Person
  expect((await winner.get("/collection")).status).toBe(200)
  expect((await winner.get("/users/me/second-factors")).body.data).toMatchObject({ totp: false, recoveryCodesLeft: 0 })
  expect(await use("anything")).toMatchObject({ status: 200 })

  const { events } = (await admin.get<ActivityPage>("/admin/activity?kind=accounts")).body.data
  const shown = events
    .filter(({ action }) => /factor/.test(action))
    .map((one) => [one.action, one.actor.id, one.account?.id])
  expect(shown).toEqual([
    ["account.remove-factors", null, id],
    ...Array(3).fill(["account.factor-link", await idOf(admin), id]),
  ])
  const stored = JSON.stringify(await app.db.selectFrom("factor_link").selectAll().execute())
  expect(stored).not.toContain(token)
})

testOnce(
  "a link expires after 24 hours, is forgotten a month later, and none is made where there is no factor",
  async () => {
    const app = await testApp()
    const { admin, ann, newLink, use } = await lost(app)
    const { token } = await newLink()
    const wait = (ms: number) => vi.useFakeTimers({ now: Date.now() + ms, toFake: ["Date"] })
    try {
      wait(24 * hourMs)
      expect(await use(token)).toMatchObject(refused("This link has expired"))
      wait(31 * 24 * hourMs)
      await purge(app.core, purgeOf("factor_link"))
      expect(await app.db.selectFrom("factor_link").selectAll().execute()).toEqual([])
    } finally {
      vi.useRealTimers()
    }
    expect(await admin.post(`/admin/users/${await idOf(admin)}/factor-link`)).toMatchObject({
      status: 409,
      body: { msg: "There is no second factor" },
    })
    expect(await admin.post("/admin/users/987654/factor-link")).toMatchObject({
      status: 404,
      body: { msg: "User not found" },
    })
    expect((await ann.get("/collection")).status).toBe(200)
  },
)

testOnce("the command line makes the same link, and says when there is nothing to remove", async () => {
  const app = await testApp()
  const { ann, use, totp } = await lost(app)
  const made = await adminCommand(app.location, "factor-link", ann.email)
  const [link = ""] = made.out
  expect([made.exitCode, made.out.length]).toEqual([0, 1])
  expect(link).toMatch(/^http:\/\/localhost:3000\/lost-factor#[\w-]{43}$/)
  expect(made.err.join("\n")).toContain(
    `${ann.email} can log in with this link and the password, or a sign-in at a connected provider, once, within 24 hours`,
  )
  const browser = person(app.app)
  await browser.post("/users/login", { email: ann.email, password })
  expect((await browser.post("/users/login/code", { code: nextCodeOf(totp.secret) })).status).toBe(200)
  expect(await use(link.split("#")[1] ?? "")).toMatchObject({ status: 200 })
  expect(await adminCommand(app.location, "factor-link", ann.email)).toEqual({
    exitCode: 1,
    out: [],
    err: [`${ann.email} has no second factor`],
  })
})
