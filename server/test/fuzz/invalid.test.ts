import { campaign, timeLimit } from "@envkeep/testing/fuzz/campaign.ts"
import { expectHeld, type Stage } from "@envkeep/testing/fuzz/invalid/held.ts"
import { type Request, requests } from "@envkeep/testing/fuzz/invalid/requests.ts"
import { setScene, stateOf } from "@envkeep/testing/fuzz/invalid/scene.ts"
import { targets } from "@envkeep/testing/fuzz/invalid/targets.ts"
import { startWorld } from "@envkeep/testing/fuzz/world.ts"
import fc, { type AsyncCommand } from "fast-check"
import { expect, test } from "vitest"

const seconds = 7

test("whatever is sent, nothing breaks, nothing changes that may not, and nobody sees what is another's", {
  timeout: timeLimit(seconds),
}, async () => {
  const world = await startWorld()
  let stage: Stage | undefined
  const tried = await campaign({
    kind: "invalid",
    seconds,
    cases: fc.commands([requests.map(asCommand)], { maxCommands: 12, size: "max" }),
    async holds(commands) {
      await world.db.deleteFrom("attempt").execute()
      const scene = stage?.scene ?? (await setScene(world))
      const now: Stage = stage ?? { world, scene, state: await stateOf(world) }
      // Whatever happens in this case, the next begins anew; unless nothing has changed.
      stage = undefined
      const before = now.state
      await fc.asyncModelRun(() => ({ model: {}, real: now }), commands)
      expectSilence(now)
      if (now.state === before) stage = now
    },
  })
  expect(tried).toBeGreaterThan(0)
})

/** As a command, so that a failure is made small by leaving out what came before it. */
const asCommand = (request: Request): AsyncCommand<object, Stage> => ({
  check: () => true,
  run: (_, stage) => expectHeld(stage, request),
  toString: () => fc.stringify(request),
})

test("every field of every call is among those that are fuzzed", () => {
  for (const { call, inPath, sample } of targets) {
    const accepted = call.input.safeParse({
      ...sample,
      ...Object.fromEntries(inPath.map((field) => [field, 1])),
      ...ids(sample),
    })
    expect([call.path, accepted.error?.message]).toEqual([call.path, undefined])
  }
})

const ids = (sample: Record<string, unknown>) =>
  Object.fromEntries(
    Object.keys(sample)
      .filter((field) => sample[field] === 0)
      .map((field) => [field, 1]),
  )

/** Nothing of anybody's is in the log, and no error of ours. */
function expectSilence({ world, scene }: Stage): void {
  const log = world.log.join("")
  for (const { secrets } of Object.values(scene)) for (const secret of secrets) expect(log.includes(secret)).toBe(false)
  expect(world.log.filter((line) => line.includes('"level":50'))).toEqual([])
  world.log.length = 0
}
