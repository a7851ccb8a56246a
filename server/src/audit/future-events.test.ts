import { type TestApp, testApp } from "@envkeep/testing/app.ts"
import { eventually } from "@envkeep/testing/eventually.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import { theServer } from "../access/caller.ts"
import { keyOf } from "../keys/seal.ts"
import { chainEvents, cutEvents } from "./chain.ts"
import { verifyAudit } from "./verify.ts"

const dayMs = 24 * 3_600_000

function setClocks(): number {
  // No job chains or deletes events before.
  vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  return Date.now()
}

/** Events that are so many days old; a clock that is ahead writes some of a negative age. */
async function write({ core }: TestApp, ageDays: number, count: number): Promise<void> {
  const now = Date.now()
  vi.setSystemTime(now - ageDays * dayMs)
  for (let n = 0; n < count; n++) await core.change(theServer, "admin.grant", async () => undefined)
  vi.setSystemTime(now)
}

const verified = ({ db, rootKey }: TestApp) => verifyAudit(db, [keyOf(rootKey)])

test("events that are dated in the future do not keep what comes after them, and go with it", async () => {
  const before = setClocks() - 30 * dayMs
  const app = await testApp()
  await write(app, 60, 10)
  // More than a batch of them, and a few in the middle of the next one.
  await write(app, -3_650, 300)
  await write(app, 50, 10)
  await write(app, -3_650, 3)
  await write(app, 40, 10)
  // No old one comes after these.
  await write(app, -3_650, 2)
  await write(app, 10, 5)
  const count = await chainEvents(app.db, app.vault)

  expect(count).toBe(340)
  expect(await cutEvents(app.db, app.vault, before)).toBe(333)
  expect(await verified(app)).toMatchObject({ isIntact: true, events: 7 })
  expect(await cutEvents(app.db, app.vault, before)).toBe(0)
})

testOnce("the job deletes old events behind one that is dated in the future, says so, and counts it", async () => {
  setClocks()
  const app = await testApp({ env: { ENVKEEP_AUDIT_DAYS: "30" } })
  await write(app, 60, 3)
  await write(app, -3_650, 1)
  await write(app, 60, 3)
  await write(app, 1, 1)
  await chainEvents(app.db, app.vault)
  vi.advanceTimersByTime(3_600_000)
  const lines = () => app.log.map((line) => JSON.parse(line) as { msg: string }).filter(({ msg }) => /events/.test(msg))
  await vi.waitFor(() => expect(lines()).toHaveLength(2), eventually)
  expect(lines()).toMatchObject([
    { msg: "events are dated in the future; they are deleted with the events around them", events: 1 },
    { msg: "deleted old events", events: 7, reads: 0, auditDays: 30 },
  ])
  expect(app.core.counts.skippedRows.get("audit_event")).toBe(1)
  expect(await verified(app)).toMatchObject({ isIntact: true })
})
