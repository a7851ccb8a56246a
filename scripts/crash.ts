import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { databaseFaults, databaseRounds } from "@envkeep/testing/crash/database-faults.ts"
import { crashRounds } from "@envkeep/testing/crash/rounds.ts"
import { ownPostgres } from "@envkeep/testing/machine/postgres.ts"
import { choiceOption, numberOption, parseStrictly, runProgram } from "@envkeep/testing/machine/program.ts"

// Kills the server, and on PostgreSQL also the database, under load, and compares what was confirmed with what is stored.

const engines = ["sqlite", "postgres"] as const
const usage = `Kills the server, and PostgreSQL too, at random moments under mixed writes, and compares what was confirmed with what is
stored.

usage: npm run test:crash -- [options]

  --rounds <number>     how many kills: 50 without it
  --seed <number>       decides what is written and when the kill comes; how many writes are done by then depends on
                        the machine
  --engine <name>       ${engines.join(" or ")}; both without it

examples:
  npm run test:crash
  npm run test:crash -- --rounds 5 --engine sqlite --seed 1
`

interface Options {
  rounds: number
  seed: number
  engine: (typeof engines)[number] | undefined
}

const args = process.argv.slice(2)
process.exitCode = await runProgram(args, { command: "npm run test:crash", usage, run: () => crash(readOptions()) })

function readOptions(): Options {
  const text = { type: "string" } as const
  const { values } = parseStrictly(args, { rounds: text, seed: text, engine: text })
  return {
    rounds: numberOption("--rounds", values.rounds, { isWhole: true, least: 1 }) ?? 50,
    seed: numberOption("--seed", values.seed, { isWhole: true }) ?? Date.now() % 1_000_000,
    engine: choiceOption("--engine", values.engine, engines),
  }
}

async function crash({ rounds, seed, engine: wanted }: Options): Promise<number> {
  const runs = { sqlite: onSqlite, postgres: onPostgres }
  let exitCode = 0
  for (const engine of engines) {
    if (wanted !== undefined && wanted !== engine) continue
    console.log(`== ${engine}, seed ${seed}`)
    const run = (folder: string) => runs[engine](folder, { rounds, seed })
    const faults = await inFreshFolder(run).catch((error: Error) => [String(error.stack)])
    if (faults.length === 0) continue
    console.error(faults.join("\n"))
    console.error(`repeat with: npm run test:crash -- --engine ${engine} --seed ${seed} --rounds ${rounds}`)
    exitCode = 1
  }
  return exitCode
}

type Rounds = Pick<Options, "rounds" | "seed">

function onSqlite(dataDir: string, { rounds, seed }: Rounds): Promise<string[]> {
  return crashRounds({ location: { dataDir, databaseUrl: undefined }, rounds, seed, report: console.log })
}

/** Two stores: in one the server is killed, in the other the database. */
async function onPostgres(dataDir: string, { rounds, seed }: Rounds): Promise<string[]> {
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
