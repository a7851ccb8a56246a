import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { databaseFaults, databaseRounds } from "@envkeep/testing/crash/database-faults.ts"
import { crashRounds } from "@envkeep/testing/crash/rounds.ts"
import { ownPostgres } from "@envkeep/testing/machine/postgres.ts"

// `npm run test:crash [-- --rounds 50 --seed 1 --engine sqlite]`: kills the server, and on PostgreSQL also the database,
// under load, and compares what was confirmed with what is stored. The seed decides what is written and when the kill
// comes; how many writes are done by then depends on the machine.

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "50" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    engine: { type: "string" },
  },
})
const [rounds, seed] = [Number(values.rounds), Number(values.seed)]
const engines = { sqlite: onSqlite, postgres: onPostgres }

for (const [engine, run] of Object.entries(engines)) {
  if (values.engine !== undefined && values.engine !== engine) continue
  console.log(`== ${engine}, seed ${seed}`)
  const faults = await inFreshFolder(run).catch((error: Error) => [String(error.stack)])
  if (faults.length === 0) continue
  console.error(faults.join("\n"))
  console.error(`repeat with: npm run test:crash -- --engine ${engine} --seed ${seed} --rounds ${rounds}`)
  process.exitCode = 1
}

function onSqlite(dataDir: string): Promise<string[]> {
  return crashRounds({ location: { dataDir, databaseUrl: undefined }, rounds, seed, report: console.log })
}

/** Two stores: in one the server is killed, in the other the database. */
async function onPostgres(dataDir: string): Promise<string[]> {
  const postgres = await ownPostgres()
  try {
    const location = { dataDir, databaseUrl: postgres.url }
    const faults = await crashRounds({ location, rounds, seed, report: console.log })
    if (faults.length > 0) return faults
    const url = await postgres.newDatabase("of_database_faults")
    const fewer = Math.max(databaseFaults.length, Math.ceil(rounds / 5))
    return await databaseRounds(
      { location: { dataDir, databaseUrl: url }, rounds: fewer, seed, report: console.log },
      postgres,
    )
  } finally {
    await postgres.stop()
  }
}

async function inFreshFolder(run: (folder: string) => Promise<string[]>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), "envkeep-crash-"))
  try {
    return await run(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
