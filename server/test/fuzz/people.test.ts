import { campaign, campaignTimeoutMs } from "@envkeep/testing/fuzz/campaign.ts"
import { startFuzzApp } from "@envkeep/testing/fuzz/fuzz-app.ts"
import { beginWithPeople } from "@envkeep/testing/fuzz/people/begin.ts"
import { contentsSteps, tellingSteps } from "@envkeep/testing/fuzz/people/contents.ts"
import { membershipSteps } from "@envkeep/testing/fuzz/people/membership.ts"
import { commandsOf, tryAsEveryone } from "@envkeep/testing/fuzz/people/step.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import fc from "fast-check"
import { expect } from "vitest"

const seconds = 2

testOnce(
  "whatever people share and take back, each may do exactly what the table of roles says",
  {
    timeout: campaignTimeoutMs(seconds),
  },
  async () => {
    const app = await startFuzzApp()
    const tried = await campaign({
      kind: "people",
      seconds,
      cases: fc.commands([...membershipSteps, ...contentsSteps].map(commandsOf), { maxCommands: 60, size: "max" }),
      async check(steps) {
        const model = await beginWithPeople(app)
        await fc.asyncModelRun(() => ({ model, real: app.http }), steps)
        for (const step of tellingSteps) await tryAsEveryone(step, model, app.http)
      },
    })
    expect(tried).toBeGreaterThan(0)
  },
)
