import { crashRounds } from "@envkeep/testing/crash/rounds.ts"
import { newStoreLocation } from "@envkeep/testing/database.ts"
import { expect, test } from "vitest"

// The short form; `npm run test:crash` does many rounds.

test("whatever was acknowledged before the server was killed is there afterwards, whole", {
  timeout: 120_000,
}, async () => {
  const seed = Date.now() % 1_000_000
  const faults = await crashRounds({ location: await newStoreLocation(), rounds: 2, seed, tell: () => undefined })
  expect(faults, `with --seed ${seed}`).toEqual([])
})
