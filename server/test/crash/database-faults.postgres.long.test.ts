import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { databaseRounds } from "@envkeep/testing/crash/database-faults.ts"
import { ownPostgres } from "@envkeep/testing/machine/postgres.ts"
import { expect, onTestFinished, test } from "vitest"

test("when the database is killed and restarted under load, reads go on and nothing is lost", async () => {
  const postgres = await ownPostgres()
  const dataDir = await mkdtemp(join(tmpdir(), "envkeep-test-"))
  onTestFinished(async () => {
    await postgres.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const seed = Date.now() % 1_000_000
  const location = { dataDir, databaseUrl: postgres.url }
  const faults = await databaseRounds({ location, rounds: 1, seed, report: () => undefined }, postgres)
  expect(faults, `with seed ${seed}`).toEqual([])
})
