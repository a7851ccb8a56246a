import { createHash } from "node:crypto"
import { createWriteStream } from "node:fs"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import { sql } from "kysely"
import { makeFile } from "../db/data-folder.ts"
import { engineOf } from "../db/engine.ts"
import { appliedMigrations } from "../db/migrate.ts"
import type { Db } from "../db/schema.ts"
import { type KeptTable, keptTables, tableNames } from "../db/tables.ts"
import { type Counts, type End, formatVersion, type Head, type Row, rowLine } from "./format.ts"

/** Few enough that a piece of the largest values fits in memory many times over. */
const pieceSize = 200

/**
 * Writes what a snapshot shows into a new file for this user alone, and says how many rows went in. Reads the tables as
 * they are, whatever version they have, and only ever a piece of them.
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
  const head: Head = {
    envkeepBackup: formatVersion,
    takenAt: new Date().toISOString(),
    engine: engineOf(snapshot),
    migrations,
  }
  yield `${JSON.stringify(head)}\n`
  const there = await tableNames(snapshot)
  for (const table of keptTables.filter((name) => there.has(name))) {
    rows[table] = 0
    for await (const piece of piecesOf(snapshot, table)) {
      rows[table] += piece.length
      yield piece.map((row) => rowLine(table, row)).join("")
    }
  }
}

async function* piecesOf(snapshot: Db, table: KeptTable): AsyncGenerator<Row[]> {
  let last = 0
  for (;;) {
    const { rows } = await sql<Row>`
      select * from ${sql.table(table)} where id > ${last} order by id limit ${pieceSize}`.execute(snapshot)
    const end = rows.at(-1)
    if (end === undefined) return
    yield rows
    last = Number(end["id"])
  }
}
