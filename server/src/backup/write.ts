import { createHash } from "node:crypto"
import { pipeline } from "node:stream/promises"
import { createGzip } from "node:zlib"
import { readHead } from "../audit/chain.ts"
import { makeFile, openNew } from "../db/data-folder.ts"
import { engineOf } from "../db/engine.ts"
import { appliedMigrations } from "../db/migrator.ts"
import type { Db } from "../db/schema.ts"
import { tableNames } from "../db/stored-tables.ts"
import { keptTables } from "../db/table-lists.ts"
import { readBatches } from "../db/table-rows.ts"
import { type Counts, type End, formatVersion, type Head, rowLine } from "./format.ts"

/**
 * So much is left to the system to bring to the disk. With a whole backup it would do so at once, and each commit of the
 * database on that disk would wait for it.
 */
const unsyncedBytes = 4 * 1024 * 1024

/**
 * Writes what a snapshot shows into a new file that only its owner can read, and returns how many rows went in. Takes
 * the tables as they are, whatever version wrote them. The owner is who owns one of `models`, or else the user of this process.
 */
export async function writeBackup(snapshot: Db, file: string, models: readonly string[]): Promise<Counts> {
  const rows: Counts = {}
  const write = (unfinished: string) =>
    pipeline(textOf(snapshot, rows), createGzip(), (pieces) => writeSteadily(pieces, unfinished, models))
  // People read that it was not written, and may try again under the same name.
  await makeFile(file, write, { ifUnconfirmed: "remove" })
  return rows
}

async function writeSteadily(pieces: AsyncIterable<Buffer>, path: string, models: readonly string[]): Promise<void> {
  const file = await openNew(path, models)
  try {
    let unsynced = 0
    for await (const piece of pieces) {
      await file.writeFile(piece)
      unsynced += piece.length
      if (unsynced < unsyncedBytes) continue
      await file.datasync()
      unsynced = 0
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

/** The hash at the end of a backup of this snapshot, if that had been taken at this time. */
export async function hashOfBackup(snapshot: Db, takenAt: string): Promise<string> {
  const hash = createHash("sha256")
  for await (const lines of linesOf(snapshot, {}, takenAt)) hash.update(lines)
  return hash.digest("hex")
}

async function* textOf(snapshot: Db, rows: Counts): AsyncGenerator<string> {
  const hash = createHash("sha256")
  for await (const lines of linesOf(snapshot, rows, new Date().toISOString())) {
    hash.update(lines)
    yield lines
  }
  const end: End = { end: true, rows, sha256: hash.digest("hex") }
  yield `${JSON.stringify(end)}\n`
}

async function* linesOf(snapshot: Db, rows: Counts, takenAt: string): AsyncGenerator<string> {
  const migrations = await appliedMigrations(snapshot)
  const stored = await tableNames(snapshot)
  const audit = stored.has("audit_chain") ? await readHead(snapshot) : undefined
  const head: Head = {
    envkeepBackup: formatVersion,
    takenAt,
    engine: engineOf(snapshot),
    migrations,
    ...(audit === undefined ? {} : { audit }),
  }
  yield `${JSON.stringify(head)}\n`
  for (const table of keptTables.filter((name) => stored.has(name))) {
    rows[table] = 0
    for await (const batch of readBatches(snapshot, table)) {
      rows[table] += batch.length
      yield batch.map((row) => rowLine(table, row)).join("")
    }
  }
}
