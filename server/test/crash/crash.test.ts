import { crashRounds } from "@envkeep/testing/crash/rounds.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { expect, test } from "vitest"

// Only two rounds; `npm run test:crash` runs many.

test("every write acknowledged before the server was killed is complete after the restart", async () => {
  const seed = Date.now() % 1_000_000
  const faults = await crashRounds({ location: await newStoreLocation(), rounds: 2, seed, report: () => undefined })
  expect(faults, `with --seed ${seed}`).toEqual([])
})
