import { join } from "node:path"
import { Kysely, type KyselyConfig, PostgresDialect, type SqliteDatabase, SqliteDialect } from "kysely"
import { type ChangeFeed, connectPatienceMs, type FeedListener, postgresFeed, sqliteFeed } from "./change-feed.ts"
import { makeFolder } from "./data-folder.ts"
import { createGate } from "./gate.ts"
import type { Db, Engine, Schema } from "./schema.ts"

export type DatabaseLog = NonNullable<KyselyConfig["log"]>

/** The connections of PostgreSQL. */
interface PoolState {
  size: number
  idle: number
  /** Callers that wait for one. */
  waiting: number
  /** How often none could be had. */
  failed: number
}

export interface OpenDatabase {
  db: Db
  engine: Engine
  /** Nothing on SQLite, which has but one connection. */
  pool(): PoolState | undefined
  /** Begins to listen for what other nodes change. */
  follow(listener: FeedListener): ChangeFeed
}

interface StorePlace {
  url?: string | undefined
  /** Where changes are listened for, if not there. */
  listenUrl?: string | undefined
  dataDir: string
  readOnly?: boolean
}

/**
 * SQLite in the data folder, or PostgreSQL where a URL is given. Each driver is loaded only when it is used. An embedded
 * store that is only to be looked at (`readOnly`) is not made, nor changed in any way.
 */
export async function openDatabase(
  { url, listenUrl, dataDir, readOnly = false }: StorePlace,
  log: DatabaseLog = [],
): Promise<OpenDatabase> {
  if (url !== undefined) return openPostgres({ url, listenUrl: listenUrl ?? url }, log)
  if (!readOnly) await makeFolder(dataDir)
  return openSqlite(join(dataDir, sqliteFile), readOnly, log)
}

export const sqliteFile = "envkeep.db"

const queryTimeoutMs = 20_000

async function openSqlite(file: string, readOnly: boolean, log: DatabaseLog): Promise<OpenDatabase> {
  const { DatabaseSync } = await import("node:sqlite")
  const database = new DatabaseSync(file, { timeout: 10_000, readOnly })
  // FULL, not NORMAL: with NORMAL a power cut can undo a write that was already acknowledged.
  if (!readOnly) database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on")

  const statements = new Map<string, ReturnType<typeof prepare>>()
  const adapter: SqliteDatabase = {
    close: () => database.close(),
    prepare(sql) {
      const known = statements.get(sql)
      if (known !== undefined) return known
      // Bulk writes make statements of many lengths, so the cache is emptied before it can grow without end.
      if (statements.size >= 500) statements.clear()
      const statement = prepare(sql)
      statements.set(sql, statement)
      return statement
    },
  }
  const version = database.prepare("pragma data_version")
  return {
    engine: "sqlite",
    pool: () => undefined,
    db: new Kysely<Schema>({ dialect: new SqliteDialect({ database: adapter }), log }),
    follow: (listener) =>
      sqliteFeed(() => (database.isOpen ? (version.get()?.["data_version"] as number) : 0), listener),
  }

  function prepare(sql: string) {
    // Taking the write lock at once lets another process wait its turn; taking it halfway can only fail.
    const statement = database.prepare(sql === "begin" ? "begin immediate" : sql)
    type Values = Parameters<typeof statement.all>
    return {
      reader: statement.columns().length > 0,
      all: (values: readonly unknown[]) => statement.all(...(values as Values)),
      run: (values: readonly unknown[]) => statement.run(...(values as Values)),
      iterate: (values: readonly unknown[]) => statement.iterate(...(values as Values)),
    }
  }
}

async function openPostgres(
  { url, listenUrl }: { url: string; listenUrl: string },
  log: DatabaseLog,
): Promise<OpenDatabase> {
  const { default: pg } = await import("pg")
  const gate = createGate()
  const pool = new pg.Pool({
    connectionString: url,
    stream: gate.socket,
    application_name: "envkeep",
    max: 10,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // Far longer than any statement of ours takes: a database that hangs must not hang its callers too.
    statement_timeout: queryTimeoutMs,
    query_timeout: queryTimeoutMs,
    types: {
      // Ids and counts are bigint; all of ours fit a number, and pg would give strings.
      getTypeParser: (oid, format) => (oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)),
    },
  })
  // A connection that breaks is replaced at the next query, which reports it if it cannot be. The pool listens to idle
  // ones only, and a break that nobody listens to would end the process.
  pool.on("error", () => undefined)
  pool.on("connect", (client) => client.on("error", () => undefined))
  let failed = 0
  // The log tells of statements; one that gets no connection never becomes a statement.
  const counted = {
    options: pool.options,
    end: () => pool.end(),
    connect: () =>
      pool.connect().catch((error: unknown) => {
        failed++
        throw error
      }),
  }
  return {
    engine: "postgres",
    pool: () => ({ size: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount, failed }),
    db: new Kysely<Schema>({ dialect: new PostgresDialect({ pool: counted }), log }),
    follow: (listener) =>
      postgresFeed(
        {
          newClient: () =>
            new pg.Client({
              connectionString: listenUrl,
              application_name: "envkeep listening",
              connectionTimeoutMillis: connectPatienceMs,
            }),
          notify: (channel, payload) => pool.query("select pg_notify($1, $2)", [channel, payload]),
          // Where notifications come by another way than the rest, its fate says nothing about the rest.
          gate: listenUrl === url ? gate : createGate(),
        },
        listener,
      ),
  }
}
