import { campaign, campaignTimeoutMs } from "@envkeep/testing/fuzz/campaign.ts"
import { startFuzzApp } from "@envkeep/testing/fuzz/fuzz-app.ts"
import { createActors, rowsByOwner } from "@envkeep/testing/fuzz/invalid/actors.ts"
import { type Fixture, sendAndCheck } from "@envkeep/testing/fuzz/invalid/check-request.ts"
import { type RequestPlan, requests } from "@envkeep/testing/fuzz/invalid/requests.ts"
import { anyId, targets } from "@envkeep/testing/fuzz/invalid/targets.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import fc, { type AsyncCommand } from "fast-check"
import { expect } from "vitest"

const seconds = 3

testOnce(
  "no request breaks the server, changes what its sender may not change, or shows what belongs to another user",
  {
    timeout: campaignTimeoutMs(seconds),
  },
  async () => {
    const app = await startFuzzApp()
    let fixture: Fixture | undefined
    const tried = await campaign({
      kind: "invalid",
      seconds,
      cases: fc.commands([requests.map(asCommand)], { maxCommands: 12, size: "max" }),
      async check(commands) {
        await app.db.deleteFrom("attempt").execute()
        const actors = fixture?.actors ?? (await createActors(app))
        const now: Fixture = fixture ?? { app, actors, rows: await rowsByOwner(app) }
        // The next case starts with a new store, unless this one passes and changes nothing.
        fixture = undefined
        const before = now.rows
        await fc.asyncModelRun(() => ({ model: {}, real: now }), commands)
        expectCleanLog(now)
        if (now.rows === before) fixture = now
      },
    })
    expect(tried).toBeGreaterThan(0)
  },
)

/** Each request is a command, so that fast-check can shrink a failure by leaving out earlier requests. */
const asCommand = (request: RequestPlan): AsyncCommand<object, Fixture> => ({
  check: () => true,
  run: (_, fixture) => sendAndCheck(fixture, request),
  toString: () => fc.stringify(request),
})

testOnce("the fuzzer knows every field of every call", () => {
  for (const { call, inPath, sample } of targets) {
    const ids = Object.fromEntries(inPath.map((field) => [field, 1]))
    const accepted = call.input.safeParse({ ...withIds(sample), ...ids })
    expect([call.path, accepted.error?.message]).toEqual([call.path, undefined])
  }
})

const withIds = (sample: object): object => JSON.parse(JSON.stringify(sample, (_, one) => (one === anyId ? 1 : one)))

/** The log contains no secret and no server error. */
function expectCleanLog({ app, actors }: Fixture): void {
  const log = app.log.join("")
  for (const { secrets } of Object.values(actors))
    for (const secret of secrets) expect(log.includes(secret)).toBe(false)
  expect(app.log.filter((line) => line.includes('"level":50'))).toEqual([])
  app.log.length = 0
}
