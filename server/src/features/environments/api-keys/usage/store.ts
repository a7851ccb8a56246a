import type { KeyRefusal } from "@envkeep/contract"
import { sql } from "kysely"
import type { Reader } from "../../../../db/schema.ts"

// These take the id of a key that was found within the caller's reach.

/** How often a key was read on each day in UTC. A day without reads is not among them. */
export function readsByDay(db: Reader, apiKeyId: number, since: number): Promise<{ dayAt: number; reads: number }[]> {
  const day = sql<number>`hour_at - hour_at % 86400000`
  return (
    db
      .selectFrom("key_read")
      // A sum of such numbers has another type on PostgreSQL.
      .select([day.as("dayAt"), sql<number>`cast(sum(reads) as bigint)`.as("reads")])
      .where("api_key_id", "=", apiKeyId)
      .where("hour_at", ">=", since)
      .groupBy(day)
      .execute()
  )
}

export interface RefusalRow {
  reason: KeyRefusal
  network: string
  refused: number
  lastAt: number
}

export function refusalRows(db: Reader, apiKeyId: number, since: number): Promise<RefusalRow[]> {
  return db
    .selectFrom("key_refusal")
    .select(["reason", "address as network", "refused", "last_at as lastAt"])
    .where("api_key_id", "=", apiKeyId)
    .where("day_at", ">=", since)
    .execute()
}
