import { type Session, sentences, type User } from "@envkeep/contract"
import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { nextCodeOf, setUpTotp } from "@envkeep/testing/authenticator.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test } from "vitest"

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

async function sessionsOf(user: Person): Promise<Session[]> {
  return (await user.get<Session[]>("/users/me/sessions")).body.data
}

test("the sessions of an account are listed with their browser and network, the current one first", async () => {
  const { app, ...rest } = await testApp()
  const ann = await rest.user("ann@example.com")
  const laptop = person(app)
  await laptop.post("/users/login", { email: "ann@example.com", password }, { "user-agent": firefox })

  const [current, other, ...more] = await sessionsOf(laptop)
  expect(more).toEqual([])
  expect(current).toMatchObject({ client: firefox, address: "127.0.0.0/24", isCurrent: true })
  expect(other).toMatchObject({ isCurrent: false })
  expect(Math.abs(Date.now() - Date.parse(current?.seenAt ?? ""))).toBeLessThan(60_000)
  expect((await sessionsOf(ann))[0]).toMatchObject({ id: other?.id, isCurrent: true })
})

test("a session that is ended is refused on its next request, and others go on", async () => {
  const { app, ...rest } = await testApp()
  const ann = await rest.user("ann@example.com")
  const [laptop, phone, bob] = [person(app), person(app), await rest.user()]
  for (const device of [laptop, phone]) await device.post("/users/login", { email: "ann@example.com", password })
  const laptopId = (await sessionsOf(laptop))[0]?.id

  const byStranger = await bob.delete(`/users/me/sessions/${laptopId}`)
  expect(byStranger).toMatchObject({ status: 404, body: { msg: "Session not found" } })
  expect(await laptop.get("/collection")).toMatchObject({ status: 200 })

  const ended = await ann.delete(`/users/me/sessions/${laptopId}`)
  expect(ended).toMatchObject({ status: 200, body: { msg: "Session ended successfully" } })
  expect(await laptop.get("/collection")).toMatchObject({ status: 401 })
  expect(await phone.get("/collection")).toMatchObject({ status: 200 })

  const endedOthers = await ann.post("/users/me/sessions/end-others")
  expect(endedOthers).toMatchObject({ status: 200, body: { msg: "All other sessions ended successfully" } })
  expect(await phone.get("/collection")).toMatchObject({ status: 401 })
  expect(await sessionsOf(ann)).toMatchObject([{ isCurrent: true }])
  expect(await bob.get("/collection")).toMatchObject({ status: 200 })
})

/** What an account has begun and not finished: a login between its two steps, and an approved one of a machine. */
async function beginLogins(app: TestApp, user: Person) {
  const { secret } = await setUpTotp(user)
  const browser = person(app.app)
  expect((await browser.post("/users/login", { email: user.email, password })).status).toBe(403)
  const { deviceCode, userCode } = (
    await app.guest.post<{ deviceCode: string; userCode: string }>("/cli/logins", { machine: "laptop" })
  ).body.data
  expect((await user.post("/cli/logins/approve", { userCode, scope: "write" })).status).toBe(200)
  return {
    finish: async () => ({
      code: await browser.post("/users/login/code", { code: nextCodeOf(secret) }),
      poll: await app.guest.post<{ state: string }>("/cli/logins/poll", { deviceCode }),
    }),
  }
}

testOnce.each(["the user", "an administrator"])(
  "when %s ends the sessions of an account, so do its logins that are not finished yet, and no others",
  async (who) => {
    const app = await testApp()
    const [ann, bob, admin] = [await app.user(), await app.user(), await app.admin()]
    const [hers, his] = [await beginLogins(app, ann), await beginLogins(app, bob)]
    const { id } = (await ann.get<User>("/users/me")).body.data
    const path = `/admin/users/${id}/end-sessions`
    const ended = who === "the user" ? await ann.post("/users/me/sessions/end-others") : await admin.post(path)
    expect(ended.status).toBe(200)

    expect(await hers.finish()).toMatchObject({
      code: { status: 401, body: { msg: sentences.signInExpired } },
      poll: { body: { data: { state: "expired", token: null } } },
    })
    expect(await his.finish()).toMatchObject({ code: { status: 200 }, poll: { body: { data: { state: "approved" } } } })
    expect((await ann.get("/collection")).status).toBe(who === "the user" ? 200 : 401)
    expect((await admin.get("/collection")).status).toBe(200)
  },
)
