import type { Reader, Tx } from "./schema.ts"

/** To read, and to write rows that no user changes on purpose: counted attempts, times of use, expired rows. */
export interface Bookkeeping {
  db: Reader
  /** There is no transaction, no event is recorded, and no listener is called. */
  bookkeep<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  /** The same in one transaction. Each commit waits for the disk, and on SQLite everyone waits with it. */
  bookkeepTogether<Result>(work: (tx: Tx) => Promise<Result>): Promise<Result>
  counts: StoreCounts
}

/** Plain numbers for the metrics, counted since the process started. */
export interface StoreCounts {
  /** Also those that failed: whether one has committed may be unknown. */
  endedChanges: number
  transactionRetries: number
  refusedAttempts: Map<string, number>
  /** Rows that jobs left out because they failed, by table. */
  skippedRows: Map<string, number>
  /** How often each periodic job has failed, by its name. */
  failedJobs: Map<string, number>
}
