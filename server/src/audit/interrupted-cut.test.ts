import { testApp } from "@envkeep/testing/app.ts"
import { expect, onTestFinished, test, vi } from "vitest"
import { theServer } from "../access/caller.ts"
import { keyOf } from "../keys/seal.ts"
import { chainEvents, cutEvents } from "./chain.ts"
import { verifyAudit } from "./verify.ts"

test("deleting old events that is told to end leaves a chain that proves itself, and the rest to the next run", async () => {
  // No job chains them before.
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  const { core, db, vault, rootKey } = await testApp()
  for (let n = 0; n < 600; n++) await core.change(theServer, "admin.grant", async () => undefined)
  expect(await chainEvents(db, vault)).toBe(600)
  const before = Date.now() + 60_000
  expect(await cutEvents(db, vault, before, AbortSignal.abort())).toBe(250)
  expect(await verifyAudit(db, [keyOf(rootKey)])).toMatchObject({ isIntact: true, events: 350 })
  // The newest one stays.
  expect(await cutEvents(db, vault, before)).toBe(349)
})
