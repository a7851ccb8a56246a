import { sentences } from "@envkeep/contract"
import { password, testApp } from "@envkeep/testing/app.ts"
import { codeOf, nextCodeOf, setUpTotp } from "@envkeep/testing/authenticator.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { type Person, person } from "@envkeep/testing/person.ts"
import { expect, test, vi } from "vitest"

const tooMany = { status: 429, body: { msg: "Too many attempts. Please try again in 15 minutes" } }

testOnce(
  "guesses at the code of an account are limited, from wherever they come, and its owner is not locked out",
  async () => {
    const app = await testApp()
    const ann = await app.user()
    const totp = await setUpTotp(ann)
    const wrong = codeOf(totp.secret, 0)
    const login = { email: ann.email, password }
    const attacker = person(app.app)
    let guesses = 0
    const guess = async (remoteAddress: string) => {
      // After five, the login has to begin again.
      if (guesses++ % 5 === 0) await attacker.post("/users/login", login)
      const headers = { "content-type": "application/json" }
      const payload = JSON.stringify({ code: wrong })
      return attacker.send({ method: "POST", url: "/api/users/login/code", payload, headers, remoteAddress })
    }
    const answers = []
    for (let n = 1; n <= 12; n++) answers.push(await guess(`203.0.${n}.1`))
    expect(answers.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429, 429])
    expect(answers.at(-1)).toMatchObject(tooMany)
    const fresh = person(app.app)
    await fresh.post("/users/login", login)
    expect(await fresh.post("/users/login/code", { code: nextCodeOf(totp.secret) })).toMatchObject(tooMany)

    // In a browser that she has used before, and with a recovery code, she logs in.
    await ann.post("/users/logout")
    await ann.post("/users/login", login)
    expect(await ann.post("/users/login/code", { code: nextCodeOf(totp.secret) })).toMatchObject({ status: 200 })
    expect(await fresh.post("/users/login/recovery-code", { code: totp.recoveryCodes[0] })).toMatchObject({
      status: 200,
    })

    // A quarter of an hour later everyone may try again, but not without end in one day.
    const start = Date.now()
    try {
      guesses = 0
      for (let round = 1; round <= 4; round++) {
        vi.useFakeTimers({ now: start + round * 16 * 60_000, toFake: ["Date"] })
        for (let n = 0; n < 10; n++) expect((await guess("203.0.113.7")).status).toBe(401)
      }
      vi.useFakeTimers({ now: start + 6 * 16 * 60_000, toFake: ["Date"] })
      expect((await guess("203.0.113.7")).status).toBe(429)
      vi.useFakeTimers({ now: start + 25 * 3_600_000, toFake: ["Date"] })
      expect((await guess("203.0.113.7")).status).toBe(401)
    } finally {
      vi.useRealTimers()
    }
  },
)

test("a second step that failed is an event of its own, counted by the hour", async () => {
  const app = await testApp()
  const ann = await app.user()
  const totp = await setUpTotp(ann)
  const attacker = person(app.app)
  await attacker.post("/users/login", { email: ann.email, password })
  for (let n = 0; n < 3; n++) await attacker.post("/users/login/code", { code: codeOf(totp.secret, 0) })
  const refused = () =>
    app.db
      .selectFrom("audit_event")
      .select(["action", "account_name", "actor", "details"])
      .where("action", "like", "session.refuse%")
      .orderBy("id")
      .execute()
  const event = (count: number) => ({
    action: "session.refuse-factor",
    account_name: "someone",
    actor: "guest",
    details: JSON.stringify({ refused: count }),
  })
  await expect.poll(refused, eventually).toEqual([event(1)])
  await app.close()
  const again = await testApp({ location: app.location })
  const rows = await again.db
    .selectFrom("audit_event")
    .select("details")
    .where("action", "=", event(1).action)
    .execute()
  expect(rows.map(({ details }) => JSON.parse(details).refused)).toEqual([1, 2])
})

testOnce("the first step is refused as ever, with a wrong password", async () => {
  const app = await testApp()
  const ann = await app.user()
  await setUpTotp(ann)
  const wrong = await app.guest.post("/users/login", { email: ann.email, password: "a wrong password" })
  expect(wrong).toMatchObject({ status: 401, body: { msg: sentences.invalidCredentials, data: null } })
  expect(await app.db.selectFrom("pending_sign_in").select("id").execute()).toEqual([])
})

testOnce("a browser that has shown no second factor is no known one for guesses at it", async () => {
  const app = await testApp()
  const ann = await app.user()
  const login = { email: ann.email, password }
  const thief = person(app.app)
  expect((await thief.post("/users/login", login)).status).toBe(200)
  const totp = await setUpTotp(ann)
  const guess = async (browser: Person, n: number) => {
    if (n % 5 === 0) await browser.post("/users/login", login)
    return browser.post("/users/login/code", { code: codeOf(totp.secret, 0) })
  }
  const stranger = person(app.app)
  for (let n = 0; n < 10; n++) expect((await guess(stranger, n)).status).toBe(401)
  expect(await guess(thief, 0)).toMatchObject(tooMany)
})
