import type { SelectQueryBuilder } from "kysely"
import type { Schema } from "../db/schema.ts"

/** Whether a query finds at least so many rows. It reads no more of them. */
export async function hasRows<Tables extends keyof Schema, Row>(
  query: SelectQueryBuilder<Schema, Tables, Row>,
  count: number,
): Promise<boolean> {
  return (
    (await query
      .limit(1)
      .offset(count - 1)
      .executeTakeFirst()) !== undefined
  )
}
