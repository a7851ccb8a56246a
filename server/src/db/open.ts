import { join } from "node:path"
import { Kysely, type KyselyConfig, PostgresDialect } from "kysely"
import type { Client, ClientConfig, Pool } from "pg"
import type { ChangeFeed, FeedListener } from "./change-feed.ts"
import { makeFolder, openNew } from "./data-folder.ts"
import { createGate } from "./gate.ts"
import { createJobLock } from "./job-lock.ts"
import { createLockPause } from "./lock-pause.ts"
import { connectTimeoutMs, PostgresFeed, probeTimeoutMs } from "./postgres-feed.ts"
import { unlessOnOtherNode } from "./postgres-locks.ts"
import type { Db, Schema } from "./schema.ts"
import { sqliteConnection } from "./sqlite-connection.ts"
import { readersDriver, sqliteDialect, writerDriver } from "./sqlite-drivers.ts"
import { sqliteFeed } from "./sqlite-feed.ts"
import { defaultLockWaitMs, openSqliteFile } from "./sqlite-file.ts"

export type DatabaseLog = NonNullable<KyselyConfig["log"]>

/** How many connections to PostgreSQL there are. */
interface PoolState {
  size: number
  idle: number
  /** Callers that wait for a connection. */
  waiting: number
  /** How many times a caller got no connection. */
  failed: number
}

export interface OpenDatabase {
  /** Reads and writes. When it is destroyed, `readDb` is closed too. */
  db: Db
  /** For reads that wait for no write. On SQLite these are other connections, on PostgreSQL it is `db`. */
  readDb: Db
  /** Undefined on SQLite, which has no pool. */
  pool(): PoolState | undefined
  /** Starts to report what other nodes change. */
  follow(listener: FeedListener): ChangeFeed
  /**
   * Runs a job that one node does for all. On PostgreSQL any node does, unless another one is at it; on SQLite always the
   * same process, as long as it runs.
   */
  onOneNode(name: string, work: () => Promise<void>): Promise<void>
}

interface DatabaseLocation {
  url?: string | undefined
  /** Where to listen for changes, if not at `url`. */
  listenUrl?: string | undefined
  dataDir: string
  readOnly?: boolean
  /** How long a statement on SQLite waits until another process has finished its change. */
  lockWaitMs?: number
  /** How long a statement on PostgreSQL may take; 0 for as long as it takes. */
  queryTimeoutMs?: number
}

/**
 * Opens SQLite in the data folder, or PostgreSQL if there is a URL. Each driver is loaded only when it is used. With
 * `readOnly`, an SQLite file is not created, and not changed but for what a killed process has left half done.
 */
export async function openDatabase(location: DatabaseLocation, log: DatabaseLog = []): Promise<OpenDatabase> {
  const { url, listenUrl, dataDir, readOnly = false } = location
  const { lockWaitMs = defaultLockWaitMs, queryTimeoutMs = defaultQueryTimeoutMs } = location
  if (url !== undefined) return openPostgres({ url, listenUrl: listenUrl ?? url, queryTimeoutMs }, log)
  if (!readOnly) await makeFolder(dataDir)
  if (!readOnly) await makeSqliteFile(dataDir)
  return openSqlite(dataDir, { readOnly, lockWaitMs }, log)
}

export const sqliteFile = "envkeep.db"

/** Far longer than any statement of a request takes: a database that hangs must not hang its callers too. */
const defaultQueryTimeoutMs = 20_000

interface SqliteOptions {
  readOnly: boolean
  lockWaitMs: number
}

/** SQLite would make it as a file of this process's user. It takes an empty file for a new database. */
async function makeSqliteFile(dataDir: string): Promise<void> {
  try {
    const file = await openNew(join(dataDir, sqliteFile), [dataDir])
    await file.close()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
}

async function openSqlite(
  dataDir: string,
  { readOnly, lockWaitMs }: SqliteOptions,
  log: DatabaseLog,
): Promise<OpenDatabase> {
  const file = join(dataDir, sqliteFile)
  const database = await openSqliteFile(file, { readOnly })
  const { DatabaseSync } = await import("node:sqlite")
  const pause = createLockPause()
  const openReader = () => sqliteConnection(new DatabaseSync(file, { timeout: 0, readOnly: true }), pause)
  const readers = readersDriver(openReader, lockWaitMs)
  const jobLock = createJobLock(dataDir)
  const writer = writerDriver(sqliteConnection(database, pause), lockWaitMs, () => {
    jobLock.close()
    // The last connection to be closed tidies up, and only this one can write.
    readers.close()
    database.close()
  })
  // Of the connection that writes: its own commits do not raise the version that it sees.
  const version = database.prepare("pragma data_version")
  return {
    pool: () => undefined,
    db: new Kysely<Schema>({ dialect: sqliteDialect(writer), log }),
    readDb: new Kysely<Schema>({ dialect: sqliteDialect(readers), log }),
    follow: (listener) =>
      sqliteFeed(() => (database.isOpen ? (pause(() => version.get())?.["data_version"] as number) : 0), listener),
    async onOneNode(_, work) {
      if (await jobLock.isMine()) await work()
    },
  }
}

/**
 * Whether a statement that took too long is still running: the driver has stopped waiting for it. Its connection may be dead,
 * or in a transaction that began too late, so no one else may get it.
 */
function isBusy(client: object): boolean {
  return "_activeQuery" in client && client._activeQuery !== null
}

/**
 * PostgreSQL's default is for disks that turn: to read a whole table of some thousand rows is then cheaper than to read fifty
 * of them by an index. With it, each list took longer the more there was of other users. What an operator has set stays. Not
 * sent when connecting, because poolers refuse settings that they do not know.
 */
const preferIndexes =
  "select set_config('random_page_cost', '1.1', false) where current_setting('random_page_cost', true) = '4'"

/**
 * For commands and upgrades, which may take as long as they need: to count many millions of rows, PostgreSQL would use a process
 * on each of several processors, and the statements of a running server would wait for one.
 */
const onOneProcessor = "select set_config('max_parallel_workers_per_gather', '0', false)"

interface PostgresParts {
  url: string
  listenUrl: string
  queryTimeoutMs: number
}

async function openPostgres(
  { url, listenUrl, queryTimeoutMs }: PostgresParts,
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
    // The default of most systems is two hours: a host that vanished while a long statement runs would be waited for as long.
    keepAliveInitialDelayMillis: 10_000,
    statement_timeout: queryTimeoutMs,
    query_timeout: queryTimeoutMs,
    async onConnect(client) {
      await client.query(preferIndexes)
      if (queryTimeoutMs === 0) await client.query(onOneProcessor)
    },
    types: {
      // Ids and counts are bigint, which pg returns as strings. All of ours fit a number.
      getTypeParser: (oid, format) => (oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format)),
    },
  })
  // The next query replaces a broken connection, or reports that it cannot. The pool handles errors of idle connections
  // only, and an error without a handler would end the process.
  pool.on("error", () => undefined)
  pool.on("connect", (client) => client.on("error", () => undefined))
  const counted = countingFailures(pool)
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: counted }), log })
  return {
    pool: () => ({
      size: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
      failed: counted.failed(),
    }),
    db,
    readDb: db,
    onOneNode: (name, work) => unlessOnOtherNode(db, name, work),
    follow: (listener) =>
      new PostgresFeed(
        {
          newClient: () => new pg.Client(clientOptions(listenUrl, "envkeep listening")),
          async notify(channel, payload) {
            const options = clientOptions(url, "envkeep probing")
            await notifyOnce(new pg.Client({ ...options, query_timeout: probeTimeoutMs }), channel, payload)
          },
          // If notifications have their own URL, an outage there says nothing about the pool's connections.
          gate: listenUrl === url ? gate : createGate(),
        },
        listener,
      ),
  }
}

/** Kysely logs statements only. A caller that gets no connection never runs one, so it is counted here. */
function countingFailures(pool: Pool) {
  let failed = 0
  return {
    options: pool.options,
    failed: () => failed,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        failed++
        throw error
      })
      const release = client.release.bind(client)
      client.release = (isLost) => release(isLost || isBusy(client))
      return client
    },
  }
}

function clientOptions(connectionString: string, name: string): ClientConfig {
  return { connectionString, application_name: name, connectionTimeoutMillis: connectTimeoutMs }
}

async function notifyOnce(client: Client, channel: string, payload: string): Promise<void> {
  // What goes wrong is the outcome of the call that waits for it.
  client.on("error", () => undefined)
  try {
    await client.connect()
    await client.query("select pg_notify($1, $2)", [channel, payload])
  } finally {
    void client.end().catch(() => undefined)
  }
}
