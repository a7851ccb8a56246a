import { campaign, campaignTimeoutMs } from "@envkeep/testing/fuzz/campaign.ts"
import { commandSequences } from "@envkeep/testing/fuzz/commands/all.ts"
import { type FuzzApp, startFuzzApp } from "@envkeep/testing/fuzz/fuzz-app.ts"
import { addUser } from "@envkeep/testing/fuzz/model/add-user.ts"
import { expectStoreMatches } from "@envkeep/testing/fuzz/model/expect-store.ts"
import { emptyModel, idsOf, type Kind, type Model } from "@envkeep/testing/fuzz/model/model.ts"
import fc from "fast-check"
import { expect, test } from "vitest"

const seconds = 2

test("users who act at the same time each see what they would see if they were alone", {
  timeout: campaignTimeoutMs(seconds),
}, async () => {
  const app = await startFuzzApp()
  const tried = await campaign({
    kind: "isolation",
    seconds,
    cases: fc.tuple(commandSequences(30), commandSequences(30), commandSequences(30)),
    async check(sequences) {
      const models = await begin(app)
      const runs = models.map((model, index) =>
        fc.asyncModelRun(() => ({ model, real: app.http }), sequences[index] ?? []),
      )
      // Waits for all of them, even if one has failed, since the next case starts by emptying the store.
      for (const outcome of await Promise.allSettled(runs)) if (outcome.status === "rejected") throw outcome.reason
      for (const model of models) await expectStoreMatches(app, model)
    },
  })
  expect(tried).toBeGreaterThan(0)
})

/** One model for each user, which knows only the ids of the others. One user is an administrator. */
async function begin(app: FuzzApp): Promise<Model[]> {
  await app.empty()
  const models = ["a.", "b.", "c."].map((prefix) => ({ ...emptyModel(prefix), isOnlyWriter: false }))
  for (const model of models) {
    model.othersIds = (kind) => models.filter((other) => other !== model).flatMap((other) => allIds(other, kind))
    await addUser(app, model, {
      email: `${model.emailPrefix}ann@example.com`,
      isAdmin: model === models[0],
      browsers: 2,
    })
    model.browsers.push({ token: undefined })
  }
  return models
}

const allIds = (model: Model, kind: Kind) => [...model.accounts.values()].flatMap((account) => idsOf(account, kind))
