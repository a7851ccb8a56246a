import { type Call, calls } from "@envkeep/contract"
import { campaign, campaignTimeoutMs } from "@envkeep/testing/fuzz/campaign.ts"
import { commandSequences, commandsByCall } from "@envkeep/testing/fuzz/commands/all.ts"
import { type FuzzApp, startFuzzApp } from "@envkeep/testing/fuzz/fuzz-app.ts"
import { addUser } from "@envkeep/testing/fuzz/model/add-user.ts"
import { expectStoreMatches } from "@envkeep/testing/fuzz/model/expect-store.ts"
import { emptyModel, type Model } from "@envkeep/testing/fuzz/model/model.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import fc from "fast-check"
import { expect, test } from "vitest"

const seconds = 3

testOnce("the fuzzer has a command for every call of the contract", () => {
  const names = (groups: object) =>
    Object.entries(groups).flatMap(([group, ofGroup]) =>
      Object.keys(ofGroup as Record<string, Call>).map((name) => `${group}.${name}`),
    )
  expect(names(commandsByCall).sort()).toEqual(names(calls).sort())
})

test("after any sequence of calls by several users, the store and a simple model of it agree", {
  timeout: campaignTimeoutMs(seconds),
}, async () => {
  const app = await startFuzzApp()
  const tried = await campaign({
    kind: "model",
    seconds,
    cases: commandSequences(80),
    async check(commands) {
      const model = await begin(app)
      await fc.asyncModelRun(() => ({ model, real: app.http }), commands)
      await expectStoreMatches(app, model)
    },
  })
  expect(tried).toBeGreaterThan(0)
})

/** Two users, one of them in two browsers, an administrator, and a browser in which no user is signed in. */
async function begin(app: FuzzApp): Promise<Model> {
  await app.empty()
  const model = emptyModel()
  await addUser(app, model, { email: "ann@example.com", browsers: 2 })
  await addUser(app, model, { email: "bob@example.com" })
  await addUser(app, model, { email: "admin@example.com", isAdmin: true })
  model.browsers.push({ token: undefined })
  return model
}
