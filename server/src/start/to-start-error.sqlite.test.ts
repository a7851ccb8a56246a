import { open } from "node:fs/promises"
import { join } from "node:path"
import { testApp } from "@envkeep/testing/app.ts"
import { expect, test } from "vitest"
import { OutcomeUnknownError } from "../db/faults.ts"
import { AlteredMigrationError } from "../db/migrator.ts"
import { sqliteFile } from "../db/open.ts"
import { toStartError } from "./to-start-error.ts"

const onSqlite = { databaseUrl: undefined, dataDir: "/data" }
const onPostgres = { databaseUrl: "postgres://user:secret@db.example.com:5432/envkeep", dataDir: "/data" }

const fault = (message: string, properties: object) => Object.assign(new Error(message), properties)
const dataDiskFull = "The disk of the data folder /data is full: free some space on it, then try again"
const database = "The database at db.example.com:5432/envkeep cannot be used"

test.each([
  {
    what: "a full disk of PostgreSQL",
    error: fault("could not extend file", { code: "53100", severity: "ERROR" }),
    config: onPostgres,
    expected: {
      exitCode: 69,
      message:
        "The disk of the database at db.example.com:5432/envkeep is full: free some space on it, then try again (could not extend file)",
    },
  },
  {
    what: "a connection to PostgreSQL that breaks",
    error: fault("write EPIPE", { code: "EPIPE", syscall: "write" }),
    config: onPostgres,
    expected: { exitCode: 69, message: `${database}: write EPIPE` },
  },
  {
    what: "a commit whose answer is lost",
    error: new OutcomeUnknownError("the answer to a commit was lost"),
    config: onPostgres,
    expected: {
      exitCode: 69,
      message:
        "The connection to the database was lost during a commit: check whether the change was saved, then try again",
    },
  },
  {
    what: "a store that another version of a migration has changed",
    error: new AlteredMigrationError("Another version of the migration 031-changed-keys has changed this store"),
    config: onSqlite,
    expected: {
      exitCode: 78,
      message:
        "Another version of the migration 031-changed-keys has changed this store, which this version does not fit. Start the version that has done this, or restore a backup",
    },
  },
  {
    what: "a data folder that is full, beside PostgreSQL",
    error: fault("ENOSPC: no space left on device, write", { code: "ENOSPC", syscall: "write" }),
    config: onPostgres,
    expected: { exitCode: 73, message: dataDiskFull },
  },
  {
    what: "a full disk of SQLite",
    error: fault("database or disk is full", { code: "ERR_SQLITE_ERROR", errcode: 13 }),
    config: onSqlite,
    expected: { exitCode: 73, message: dataDiskFull },
  },
  {
    what: "a full disk of SQLite, when it is opened",
    error: fault("disk I/O error", { code: "ERR_SQLITE_ERROR", errcode: 4874 }),
    config: onSqlite,
    expected: { exitCode: 73, message: dataDiskFull },
  },
  {
    what: "a disk that SQLite cannot write to for another reason",
    error: fault("disk I/O error", { code: "ERR_SQLITE_ERROR", errcode: 778 }),
    config: onSqlite,
    expected: { exitCode: 73, message: "The data folder /data cannot be written: disk I/O error" },
  },
  ...[15, 3850, 5130].map((errcode) => ({
    what: `a file system without locks (${errcode})`,
    error: fault("locking protocol", { code: "ERR_SQLITE_ERROR", errcode }),
    config: onSqlite,
    expected: {
      exitCode: 73,
      message:
        "The files of the store in /data cannot be locked (locking protocol): a network file system may not do that. Use a disk of this machine, or PostgreSQL",
    },
  })),
  {
    what: "a disk that does not say whether it has saved",
    error: fault("disk I/O error", { code: "ERR_SQLITE_ERROR", errcode: 1034 }),
    config: onSqlite,
    expected: {
      exitCode: 73,
      message:
        "The data folder /data cannot be written: the disk failed while something was saved: check whether it was, then try again",
    },
  },
  {
    what: "a disk from which SQLite cannot read",
    error: fault("disk I/O error", { code: "ERR_SQLITE_ERROR", errcode: 266 }),
    config: onSqlite,
    expected: { exitCode: 74, message: "The store in /data cannot be opened: disk I/O error" },
  },
  {
    what: "a store that another process has locked for too long",
    error: fault("database is locked", { code: "ERR_SQLITE_ERROR", errcode: 5 }),
    config: onSqlite,
    expected: {
      exitCode: 69,
      message: "The store in /data is locked: another process has been writing to it for too long. Try again later",
    },
  },
])("$what is one sentence and the exit code $expected.exitCode", async ({ error, config, expected }) => {
  expect(await toStartError(error, config)).toMatchObject({ name: "StartError", ...expected })
})

test("what SQLite calls damage is a disk that failed once, unless the store is damaged when it is read again", async () => {
  const app = await testApp()
  const { dataDir } = app.location
  await app.close()
  const malformed = fault("database disk image is malformed", { code: "ERR_SQLITE_ERROR", errcode: 11 })
  const config = { databaseUrl: undefined, dataDir }
  expect(await toStartError(malformed, config)).toMatchObject({
    exitCode: 73,
    message: `The store in ${dataDir} could not be used (database disk image is malformed), but now it can: check the disk, then try again`,
  })

  const readOnly = fault("attempt to write a readonly database", { code: "ERR_SQLITE_ERROR", errcode: 8 })
  expect(await toStartError(readOnly, config)).toMatchObject({ exitCode: 73 })

  const file = await open(join(dataDir, sqliteFile), "r+")
  // Behind the first page, which says where everything is.
  await file.write(Buffer.alloc(4096, 7), 0, 4096, 4096)
  // The header says that the format for writing is an unknown one.
  await file.write(Buffer.of(9), 0, 1, 18)
  await file.close()
  expect(await toStartError(readOnly, config)).toMatchObject({ exitCode: 74 })
  expect(await toStartError(malformed, config)).toMatchObject({
    exitCode: 74,
    message: `The store in ${dataDir} cannot be opened: database disk image is malformed`,
  })
})

test("a bug stays as it is", async () => {
  const bug = new TypeError("undefined is not a function")
  expect(await toStartError(bug, onPostgres)).toBe(bug)
})
