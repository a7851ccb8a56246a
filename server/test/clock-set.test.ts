import { password, testApp } from "@envkeep/testing/app.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import { createLastUsed } from "../src/features/variables/last-used.ts"

const dayMs = 86_400_000
const yearMs = 365 * dayMs

/** Sets the machine's clock. Timers and the monotonic clock are not affected. */
function settableClock() {
  const real = Date.now()
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
  return (aheadMs: number) => void vi.setSystemTime(real + aheadMs)
}

testOnce("setting the clock back neither ends sessions nor makes them last forever", async () => {
  const setClock = settableClock()
  setClock(10 * yearMs)
  const app = await testApp()
  const ann = await app.user()

  // A request does not wait until its session is noted as used.
  const seenAt = async () => (await app.db.selectFrom("session").select("seen_at").executeTakeFirstOrThrow()).seen_at
  const used = () => expect.poll(seenAt).toBe(Date.now())
  setClock(0)
  expect((await ann.get("/collection")).status).toBe(200)
  await used()
  for (let days = 25; days < 90; days += 25) {
    setClock(days * dayMs)
    expect((await ann.get("/collection")).status).toBe(200)
    await used()
  }
  setClock(91 * dayMs)
  expect((await ann.get("/collection")).status).toBe(401)
})

testOnce("setting the clock back does not lock users out", async () => {
  const setClock = settableClock()
  const app = await testApp()
  const { email } = await app.user()
  const login = (secret: string) => app.guest.post("/users/login", { email, password: secret })
  setClock(yearMs)
  for (let n = 0; n < 10; n++) await login("wrong password")
  expect((await login(password)).status).toBe(429)

  setClock(0)
  expect((await login(password)).status).toBe(200)
  expect((await app.guest.get("/users/me")).status).toBe(200)
})

test("nodes whose clocks differ by minutes count wrong passwords together", async () => {
  const setClock = settableClock()
  const app = await testApp()
  const { email } = await app.user()
  const statuses: number[] = []
  for (let n = 0; n < 12; n++) {
    setClock(n % 2 === 0 ? 120_000 : 0)
    statuses.push((await app.guest.post("/users/login", { email, password: "wrong password" })).status)
  }
  expect(statuses).toEqual([...Array(10).fill(401), 429, 429])
})

testOnce("revisions, reads and last-used times work whichever way the clock is set", async () => {
  const setClock = settableClock()
  const app = await testApp()
  const ann = await app.user()
  const environment = await ann.environment()
  const { key } = await ann.apiKey(environment)
  const lastUsed = createLastUsed(app.core)
  const item = await ann.item(environment, "A", "0")
  for (const [n, aheadMs] of [1, -dayMs, dayMs, -dayMs].entries()) {
    setClock(aheadMs)
    await ann.put(`/collectionItem/${item.id}`, { name: "A", value: String(n + 1) })
    const read = await app.guest.variables(key)
    expect(read).toMatchObject({
      status: 200,
      text: `{"A":"${n + 1}"}`,
      headers: { "envkeep-revision": String(n + 3) },
    })
    await lastUsed.flush()
  }
})
