import { type Call, calls } from "@envkeep/contract"
import { campaign, timeLimit } from "@envkeep/testing/fuzz/campaign.ts"
import { expectEverything } from "@envkeep/testing/fuzz/model/everything.ts"
import { emptyModel, type Model } from "@envkeep/testing/fuzz/model/model.ts"
import { settle } from "@envkeep/testing/fuzz/model/settle.ts"
import { plays, sequences } from "@envkeep/testing/fuzz/plays/all.ts"
import { startWorld, type World } from "@envkeep/testing/fuzz/world.ts"
import fc from "fast-check"
import { expect, test } from "vitest"

const seconds = 7

test("every call of the contract has a command", () => {
  const names = (groups: object) =>
    Object.entries(groups).flatMap(([group, ofGroup]) =>
      Object.keys(ofGroup as Record<string, Call>).map((name) => `${group}.${name}`),
    )
  expect(names(plays).sort()).toEqual(names(calls).sort())
})

test("whatever several users do in turn, the store and a simple model of it agree", {
  timeout: timeLimit(seconds),
}, async () => {
  const world = await startWorld()
  const tried = await campaign({
    kind: "model",
    seconds,
    cases: sequences(80),
    async holds(commands) {
      const model = await begin(world)
      await fc.asyncModelRun(() => ({ model, real: world.wire }), commands)
      await expectEverything(world, model)
    },
  })
  expect(tried).toBeGreaterThan(0)
})

/** Two users, one of them in two browsers, an administrator, and a browser nobody is signed in at. */
async function begin(world: World): Promise<Model> {
  await world.empty()
  const model = emptyModel()
  await settle(world, model, { email: "ann@example.com", browsers: 2 })
  await settle(world, model, { email: "bob@example.com" })
  await settle(world, model, { email: "admin@example.com", isAdmin: true })
  model.browsers.push({ token: undefined })
  return model
}
