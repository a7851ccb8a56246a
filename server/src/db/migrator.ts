import { setTimeout as sleep } from "node:timers/promises"
import { sql } from "kysely"
import { steadyNow } from "./clock.ts"
import { engineOf } from "./engine.ts"
import { isTransient } from "./faults.ts"
import type { Migration } from "./migrate.ts"
import { migrationSums, migrations } from "./migrations/list.ts"
import { lockTables, TablesInUseError, waitForTurn } from "./postgres-locks.ts"
import type { Db } from "./schema.ts"
import { hasTable } from "./stored-tables.ts"
import { inTransactionOnce } from "./transaction.ts"

/** The store was written by a newer Envkeep than this one. */
export class NewerStoreError extends Error {
  override name = "NewerStoreError"
}

/** A migration has run on the store whose name is known, but which did something else. Statements would fail later. */
export class AlteredMigrationError extends Error {
  override name = "AlteredMigrationError"
}

export interface MigrateOptions {
  all?: readonly Migration[]
  /** Runs before a store that has tables is changed. If it fails, nothing is changed. */
  beforehand?: (tx: Db, pending: readonly Migration[]) => Promise<void>
  /** Told how far a long migration has come. */
  say?: (progress: string) => void
}

/** On PostgreSQL, nodes of the old version go on writing. They wait behind a migration that waits for one of them. */
const lockWaitMs = 20
const pauseMs = 200
const sayAfterMs = 30_000
/** Of what got in the way of others in any other way than by their locks, which end. */
const maxTries = 20

/**
 * Brings the tables up to date in one transaction, and returns the names of the migrations that ran. Nodes that start at
 * the same time take turns: on SQLite the transaction is the lock, PostgreSQL has one for this.
 *
 * On PostgreSQL, all tables are locked first, so that what follows waits for no one. If that does not succeed soon, it lets
 * go of those it has and tries again. Otherwise it and a writer that each hold what the other needs would wait until the
 * database ends one of them, and while a backup reads, every writer would wait for it.
 */
export async function migrate(db: Db, options: MigrateOptions = {}): Promise<string[]> {
  const beganAt = steadyNow()
  let hasSaid = false
  for (let faults = 0; ; ) {
    try {
      return await migrateOnce(db, options)
    } catch (error) {
      const isInUse = error instanceof TablesInUseError
      if (!isInUse && (!isTransient(error) || ++faults === maxTries)) throw error
      if (!hasSaid && steadyNow() - beganAt > sayAfterMs) {
        hasSaid = true
        options.say?.(
          "waiting until the tables can be locked: something has been using them all the time, such as a backup",
        )
      }
      await sleep(pauseMs)
    }
  }
}

function migrateOnce(db: Db, { all = migrations, beforehand, say }: MigrateOptions): Promise<string[]> {
  return inTransactionOnce(db, async (tx) => {
    if (engineOf(tx) === "postgres") await waitForTurn(tx)
    const applied = await appliedMigrations(tx)
    refuseNewer(applied, all)
    await refuseAltered(tx)
    const pending = all.filter((migration) => !applied.includes(migration.name))
    if (pending.length > 0 && applied.length > 0) {
      await beforehand?.(tx, pending)
      if (engineOf(tx) === "postgres") await lockTables(tx, lockWaitMs)
    }
    await apply(tx, pending, say)
    return pending.map((migration) => migration.name)
  })
}

/** The names of the migrations that have run on a store, in order. None have when it has no tables yet. */
export async function appliedMigrations(db: Db): Promise<string[]> {
  return (await appliedRows(db)).map(({ name }) => name)
}

export function refuseNewer(applied: readonly string[], all = migrations): void {
  const unknown = applied.find((name) => !all.some((migration) => migration.name === name))
  if (unknown !== undefined) throw new NewerStoreError(`This store was written by a newer version (${unknown})`)
}

export async function refuseAltered(db: Db): Promise<void> {
  const altered = await alteredMigration(db)
  if (altered === undefined) return
  throw new AlteredMigrationError(`Another version of the migration ${altered} has changed this store`)
}

/** The first one whose sum is not that of the migration that we know. Older versions have kept no sums. */
export async function alteredMigration(db: Db): Promise<string | undefined> {
  const altered = (await appliedRows(db)).find(({ name, checksum }) => {
    return typeof checksum === "string" && migrationSums.has(name) && migrationSums.get(name) !== checksum
  })
  return altered?.name
}

interface AppliedRow {
  name: string
  checksum?: string | null
}

async function appliedRows(db: Db): Promise<AppliedRow[]> {
  if (!(await hasTable(db, "migration"))) return []
  return (await sql<AppliedRow>`select * from migration order by name`.execute(db)).rows
}

/** Runs these migrations and records that they ran. The caller has opened a transaction. */
export async function apply(
  tx: Db,
  pending: readonly Migration[],
  say: (progress: string) => void = () => undefined,
): Promise<void> {
  await tx.schema
    .createTable("migration")
    .ifNotExists()
    .addColumn("name", "text", (column) => column.primaryKey())
    .addColumn("applied_at", "bigint", (column) => column.notNull())
    .addColumn("checksum", "text")
    .execute()
  if (pending.length > 0) await addSums(tx)
  for (const migration of pending) {
    await migration.up(tx, engineOf(tx), say)
    const sum = migrationSums.get(migration.name) ?? null
    await sql`
      insert into migration (name, applied_at, checksum)
      values (${migration.name}, ${Date.now()}, cast(${sum} as text))`.execute(tx)
  }
}

/** The table of an older version has no column for them. */
async function addSums(tx: Db): Promise<void> {
  const [first] = await appliedRows(tx)
  if (first === undefined || first.checksum !== undefined) return
  await tx.schema.alterTable("migration").addColumn("checksum", "text").execute()
}
