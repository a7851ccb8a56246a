import { crashRounds } from "@envkeep/testing/crash/rounds.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { testOnce } from "@envkeep/testing/once.ts"
import { expect } from "vitest"

// Only one round; `npm run test:long` runs more, and `npm run test:crash` many.

testOnce("every write acknowledged before the server was killed is complete after the restart", async () => {
  const seed = Date.now() % 1_000_000
  const faults = await crashRounds({ location: await newStoreLocation(), rounds: 1, seed, report: () => undefined })
  expect(faults, `with --seed ${seed}`).toEqual([])
})
