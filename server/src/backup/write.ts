import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import { readHead } from "../audit/chain.ts"
import { makeFile } from "../db/data-folder.ts"
import { engineOf } from "../db/engine.ts"
import { appliedMigrations } from "../db/migrator.ts"
import type { Db } from "../db/schema.ts"
import { tableNames } from "../db/stored-tables.ts"
import { batchesOf } from "../db/table-rows.ts"
import { keptTables } from "../db/tables.ts"
import { type Counts, type End, formatVersion, type Head, rowLine } from "./format.ts"

/**
 * Writes what a snapshot shows into a new file that only this user can read, and returns how many rows went in. Takes
 * the tables as they are, whatever version wrote them.
 */
export async function writeBackup(snapshot: Db, file: string): Promise<Counts> {
  const rows: Counts = {}
  await makeFile(file, (unfinished) =>
    pipeline(
      textOf(snapshot, rows),
      createGzip(),
      createWriteStream(unfinished, { flags: "wx", mode: 0o600, flush: true }),
    ),
  )
  return rows
}

async function* textOf(snapshot: Db, rows: Counts): AsyncGenerator<string> {
  const hash = createHash("sha256")
  for await (const lines of linesOf(snapshot, rows)) {
    hash.update(lines)
    yield lines
  }
  const end: End = { end: true, rows, sha256: hash.digest("hex") }
  yield `${JSON.stringify(end)}\n`
}

async function* linesOf(snapshot: Db, rows: Counts): AsyncGenerator<string> {
  const migrations = await appliedMigrations(snapshot)
  const stored = await tableNames(snapshot)
  const audit = stored.has("audit_chain") ? await readHead(snapshot) : undefined
  const head: Head = {
    envkeepBackup: formatVersion,
    takenAt: new Date().toISOString(),
    engine: engineOf(snapshot),
    migrations,
    ...(audit === undefined ? {} : { audit }),
  }
  yield `${JSON.stringify(head)}\n`
  for (const table of keptTables.filter((name) => stored.has(name))) {
    rows[table] = 0
    for await (const batch of batchesOf(snapshot, table)) {
      rows[table] += batch.length
      yield batch.map((row) => rowLine(table, row)).join("")
    }
  }
}
