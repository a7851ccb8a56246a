import { campaign, timeLimit } from "@envkeep/testing/fuzz/campaign.ts"
import { expectEverything } from "@envkeep/testing/fuzz/model/everything.ts"
import { emptyModel, idsOf, type Kind, type Model } from "@envkeep/testing/fuzz/model/model.ts"
import { settle } from "@envkeep/testing/fuzz/model/settle.ts"
import { sequences } from "@envkeep/testing/fuzz/plays/all.ts"
import { startWorld, type World } from "@envkeep/testing/fuzz/world.ts"
import fc from "fast-check"
import { expect, test } from "vitest"

const seconds = 4

test("users who act at the same time each see what they would see alone", { timeout: timeLimit(seconds) }, async () => {
  const world = await startWorld()
  const tried = await campaign({
    kind: "isolation",
    seconds,
    cases: fc.tuple(sequences(30), sequences(30), sequences(30)),
    async holds(sequences) {
      const models = await begin(world)
      const runs = models.map((model, index) =>
        fc.asyncModelRun(() => ({ model, real: world.wire }), sequences[index] ?? []),
      )
      // All to their end, also when one has failed: the next case begins on an empty store.
      for (const outcome of await Promise.allSettled(runs)) if (outcome.status === "rejected") throw outcome.reason
      for (const model of models) await expectEverything(world, model)
    },
  })
  expect(tried).toBeGreaterThan(0)
})

/** Each with a model of their own, which knows of the others only that they have ids too. One is an administrator. */
async function begin(world: World): Promise<Model[]> {
  await world.empty()
  const models = ["a.", "b.", "c."].map((prefix) => ({ ...emptyModel(prefix), isAlone: false }))
  for (const model of models) {
    model.strangers = (kind) => models.filter((other) => other !== model).flatMap((other) => allIds(other, kind))
    await settle(world, model, {
      email: `${model.emailPrefix}ann@example.com`,
      isAdmin: model === models[0],
      browsers: 2,
    })
    model.browsers.push({ token: undefined })
  }
  return models
}

const allIds = (model: Model, kind: Kind) => [...model.accounts.values()].flatMap((account) => idsOf(account, kind))
