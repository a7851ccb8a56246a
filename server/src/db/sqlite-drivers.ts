import { setImmediate as nextTurn } from "node:timers/promises"
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
  ValueNode,
} from "kysely"
import { steadyNow } from "./clock.ts"
import { isDamagedFile } from "./faults.ts"
import { onceUnlocked, type SqliteConnection } from "./sqlite-connection.ts"

/** What Kysely holds from the moment it asks for a connection until it gives it back. */
interface Lease extends DatabaseConnection {
  connection: SqliteConnection
  giveBack(): void
}

type Run = (connection: SqliteConnection, query: CompiledQuery) => QueryResult<unknown>

const runOnce: Run = (connection, query) => connection.run(query)

/**
 * A read of the disk that fails once is no damage. Not for changes: after such a fault, SQLite may have ended their
 * transaction, and the statement would be a change of its own.
 */
const readAgain: Run = (connection, query) => {
  const { isTransaction } = connection.database
  try {
    return connection.run(query)
  } catch (error) {
    if (!isDamagedFile(error) || connection.database.isTransaction !== isTransaction) throw error
    return connection.run(query)
  }
}

/** The writer reads too, within its transaction or outside of one. */
const readAgainUnlessChanging: Run = (connection, query) =>
  changesNothing(query) ? readAgain(connection, query) : runOnce(connection, query)

function changesNothing({ query, sql }: CompiledQuery): boolean {
  return query.kind === "SelectQueryNode" || /^\s*(select|begin)\b/i.test(sql)
}

function lease(connection: SqliteConnection, deadline: () => number, run: Run): Lease {
  const lease: Lease = {
    connection,
    giveBack: () => undefined,
    executeQuery: <Row>(query: CompiledQuery) =>
      onceUnlocked(deadline(), () => run(lease.connection, query) as QueryResult<Row>),
    streamQuery() {
      throw new Error("rows are not streamed: read them in batches")
    },
  }
  return lease
}

/** One connection for everything, which takes turns. `waitMs` is how long a statement waits for other processes. */
export function writerDriver(connection: SqliteConnection, waitMs: number, close: () => void): Driver {
  let lastReleased = Promise.resolve()
  const giveWay = startGivingWay()
  return driver({
    // With the write lock taken at the start, other processes wait their turn. Taken later, the statement would fail.
    begin: ({ accessMode }) => (accessMode === "read only" ? "begin deferred" : "begin immediate"),
    async acquireConnection() {
      // From here, not from its turn: behind a change that waits in vain, the others would wait many times as long.
      const deadline = steadyNow() + waitMs
      const previous = lastReleased
      const released = Promise.withResolvers<void>()
      lastReleased = released.promise
      await previous
      const own = lease(connection, () => deadline, readAgainUnlessChanging)
      return {
        ...own,
        giveBack: released.resolve,
        async executeQuery(query) {
          await giveWay()
          return own.executeQuery(query)
        },
      }
    },
    close,
  })
}

const [shortestPieceMs, longestPieceMs] = [1, 20]

/**
 * Statements run on this thread, and a promise that is kept does not let anything else run. So a series of them, of one
 * change or of many, lets others run every millisecond: a read waits for a part of it, not for all. If others then take
 * long, the next piece is as long as that: whatever number of reads there are, writers keep half of the time.
 */
function startGivingWay(): () => Promise<void> {
  let pieceMs = shortestPieceMs
  /** When the work of this turn of the event loop began. */
  let since: number | undefined
  return async () => {
    const now = performance.now()
    if (since === undefined) {
      since = now
      setImmediate(() => {
        since = undefined
      })
    } else if (now - since >= pieceMs) {
      await nextTurn()
      pieceMs = Math.min(longestPieceMs, Math.max(shortestPieceMs, performance.now() - now))
    }
  }
}

/**
 * A snapshot is held over several statements, between which others run. As many as calls of users and readings by key begin
 * at the same time: who waits here takes no turns.
 */
const maxSnapshots = 10

/**
 * Connections that read while the writer has a transaction open. Single statements share one, because each has ended
 * before the next begins. A snapshot has one of its own. All are opened when they are needed first.
 */
export function readersDriver(open: () => SqliteConnection, waitMs: number): Driver & { close(): void } {
  const connections = new ReadConnections(open)
  const close = () => connections.close()
  return {
    ...driver({
      begin: () => "begin deferred",
      async acquireConnection() {
        return lease(connections.shared(), () => steadyNow() + waitMs, readAgain)
      },
      async beforeBegin(lease) {
        const own = await connections.takeForSnapshot()
        lease.connection = own
        lease.giveBack = () => connections.giveBack(own)
      },
      close,
    }),
    close,
  }
}

class ReadConnections {
  readonly #open: () => SqliteConnection
  readonly #opened = new Set<SqliteConnection>()
  readonly #free: SqliteConnection[] = []
  readonly #waiting: (() => void)[] = []
  #shared: SqliteConnection | undefined
  #isClosed = false

  constructor(open: () => SqliteConnection) {
    this.#open = open
  }

  shared(): SqliteConnection {
    this.#shared ??= this.#openOne()
    return this.#shared
  }

  async takeForSnapshot(): Promise<SqliteConnection> {
    for (;;) {
      const own = this.#free.pop() ?? this.#openForSnapshot()
      if (own !== undefined) return own
      await new Promise<void>((resolve) => void this.#waiting.push(resolve))
    }
  }

  giveBack(own: SqliteConnection): void {
    if (this.#isClosed) return
    // If its end failed, as on a broken disk, nothing can begin on it again.
    if (own.database.isTransaction) this.#discard(own)
    else this.#free.push(own)
    this.#waiting.shift()?.()
  }

  close(): void {
    this.#isClosed = true
    for (const connection of this.#opened) this.#discard(connection)
  }

  /** Undefined if there are enough. */
  #openForSnapshot(): SqliteConnection | undefined {
    // One more than the snapshots: the shared one.
    if (this.#opened.size > maxSnapshots) return undefined
    try {
      return this.#openOne()
    } catch (error) {
      // The next one must not wait for a connection that is not coming.
      this.#waiting.shift()?.()
      throw error
    }
  }

  #openOne(): SqliteConnection {
    if (this.#isClosed) throw new Error("the database is closed")
    const connection = this.#open()
    this.#opened.add(connection)
    return connection
  }

  #discard(connection: SqliteConnection): void {
    this.#opened.delete(connection)
    connection.database.close()
  }
}

interface DriverParts {
  begin(settings: TransactionSettings): string
  acquireConnection(): Promise<Lease>
  beforeBegin?(lease: Lease): Promise<void>
  close(): void
}

function driver({ begin, acquireConnection, beforeBegin, close }: DriverParts): Driver {
  const run = async (connection: DatabaseConnection, sql: string) => {
    await connection.executeQuery(CompiledQuery.raw(sql))
  }
  return {
    init: async () => undefined,
    acquireConnection,
    async beginTransaction(connection, settings) {
      await beforeBegin?.(connection as Lease)
      await run(connection, begin(settings))
    },
    commitTransaction: (connection) => run(connection, "commit"),
    rollbackTransaction: (connection) => run(connection, "rollback"),
    releaseConnection: async (connection) => (connection as Lease).giveBack(),
    destroy: async () => close(),
  }
}

/** The driver decides which connections there are, so Kysely need not let its callers wait for the only one. */
class ManyConnectionsAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/**
 * Writes limits as numbers, not as parameters. SQLite plans with the value of a limit, so it compiles a statement again
 * each time that it is bound: that takes many times as long as to find one row.
 */
class LimitingCompiler extends SqliteQueryCompiler {
  protected override visitLimit(node: LimitNode): void {
    const { limit } = node
    if (ValueNode.is(limit) && Number.isSafeInteger(limit.value)) this.append(`limit ${limit.value}`)
    else super.visitLimit(node)
  }
}

export function sqliteDialect(driver: Driver): Dialect {
  return {
    createDriver: () => driver,
    createQueryCompiler: () => new LimitingCompiler(),
    createAdapter: () => new ManyConnectionsAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
  }
}
