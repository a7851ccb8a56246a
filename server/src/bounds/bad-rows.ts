import { steadyNow } from "../db/clock.ts"
import { isOutage } from "../db/faults.ts"
import type { TableName } from "../db/tables.ts"

export type RowKey = number | string

/** What one job could not do for some rows. It leaves these rows out for a while, so that no other row waits for them. */
export interface BadRows {
  /** Undefined if the row is left out, or if the work fails. An outage is no fault of the row, and is thrown. */
  attempt<Result>(table: TableName, key: RowKey, work: () => Promise<Result>): Promise<Result | undefined>
  /** The rows that are left out at this moment. */
  keysIn(table: TableName): RowKey[]
}

export interface BadRow {
  table: TableName
  key: RowKey
}

const leftOutMs = 3_600_000

/** If so many rows fail, the fault is not in the rows. The job then fails as a whole. */
export const maxBadRows = 100

export function createBadRows(
  report: (row: BadRow, error: unknown) => void = () => undefined,
  clock: () => number = steadyNow,
): BadRows {
  /** The row, and when it is tried again. */
  let rows: (BadRow & { retryAt: number })[] = []
  const leftOut = (table: TableName) => {
    const now = clock()
    rows = rows.filter(({ retryAt }) => retryAt > now)
    return rows.filter((row) => row.table === table)
  }
  return {
    async attempt(table, key, work) {
      if (leftOut(table).some((row) => row.key === key)) return undefined
      try {
        return await work()
      } catch (error) {
        if (isOutage(error) || rows.length >= maxBadRows) throw error
        rows.push({ table, key, retryAt: clock() + leftOutMs })
        report({ table, key }, error)
        return undefined
      }
    },
    keysIn: (table) => leftOut(table).map(({ key }) => key),
  }
}
