import { password, type TestApp, testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { planOf } from "@envkeep/testing/plan.ts"
import type { CompiledQuery } from "kysely"
import { expect, onTestFinished, test, vi } from "vitest"
import { hashToken } from "../../keys/token.ts"
import { isKnownDevice, rememberDevice } from "./rules.ts"

const ann = { emailKey: "ann@example.com", passwordHash: "hash of ann" }
const bob = { emailKey: "bob@example.com", passwordHash: "hash of bob" }

/** Each of them a second after the other. */
function inTime(): void {
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
}

async function remember({ core }: TestApp, account: typeof ann, count: number, options?: { hasShownFactor: boolean }) {
  const devices: string[] = []
  for (let n = 0; n < count; n++) {
    vi.advanceTimersByTime(1_000)
    devices.push(await core.bookkeepTogether((tx) => rememberDevice(tx, account, options)))
  }
  return devices
}

const known = async ({ core }: TestApp, devices: string[], account: typeof ann) =>
  (await Promise.all(devices.map((device) => isKnownDevice(core.db, device, account)))).filter((isKnown) => isKnown)
    .length

const rowCount = async ({ db }: TestApp) => (await db.selectFrom("attempt").select("bucket").execute()).length

testOnce("an account has a hundred known browsers, those of the last logins, whatever its password", async () => {
  inTime()
  const executed: CompiledQuery[] = []
  const app = await testApp({ logQuery: ({ query }) => executed.push(query) })
  const others = await remember(app, bob, 2)
  const first = await remember(app, { ...ann, passwordHash: "an earlier hash" }, 3)
  const devices = await remember(app, ann, 105, { hasShownFactor: true })
  expect(await known(app, first, { ...ann, passwordHash: "an earlier hash" })).toBe(0)
  expect(await known(app, devices.slice(0, 5), ann)).toBe(0)
  expect(await known(app, devices.slice(5), ann)).toBe(100)
  expect(await known(app, others, bob)).toBe(2)
  // As many again of those in which a second factor was shown.
  expect(await rowCount(app)).toBe(202)

  const deletions = executed.filter(({ sql }) => sql.startsWith('delete from "attempt"'))
  expect(deletions).not.toEqual([])
  const plan = await planOf(app, deletions.at(-1) ?? expect.fail())
  expect(plan).toContain("attempt_account")
  expect(plan).not.toMatch(/\bSCAN\b|Seq Scan/)
})

test("the browser of a login is known, even if the clock was ahead at the logins before", async () => {
  inTime()
  const app = await testApp()
  const aheadMs = 30 * 24 * 3_600_000
  vi.advanceTimersByTime(aheadMs)
  const early = await remember(app, ann, 100)
  vi.setSystemTime(Date.now() - aheadMs)
  const late = await remember(app, ann, 3)
  expect(await known(app, late.slice(-1), ann)).toBe(1)
  expect(await known(app, early, ann)).toBe(99)
  expect(await rowCount(app)).toBe(100)
})

testOnce("browsers that an older version remembered stay known", async () => {
  inTime()
  const app = await testApp()
  const device = "remembered by an older version"
  const bucket = hashToken(`knownDevice ${device} ${ann.emailKey} ${ann.passwordHash}`)
  await app.db
    .insertInto("attempt")
    .values({ bucket, count: 1, resets_at: Date.now() + 60_000 })
    .execute()
  await remember(app, ann, 1)
  expect(await known(app, [device], ann)).toBe(1)
})

test("with a new e-mail, nothing is left of the browsers that knew the former", async () => {
  const app = await testApp()
  const user = await app.user()
  const rows = async () =>
    (await app.db.selectFrom("attempt").select("bucket").where("account", "is not", null).execute()).length
  // Registered and logged in.
  expect(await rows()).toBe(2)
  for (const email of ["one@example.com", "two@example.com", "three@example.com"]) {
    expect((await user.put("/users", { username: "ann", email })).status).toBe(200)
    expect(await rows()).toBe(1)
    expect((await user.post("/users/login", { email, password })).status).toBe(200)
    expect(await rows()).toBe(2)
  }
})
