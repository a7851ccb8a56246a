import { limits } from "@envkeep/contract"
import { sql } from "kysely"

/** By how much an item's name is longer than what counts with its row. */
export function longNameBytes(name: string): number {
  // Most names are short enough, even if each of their characters took three bytes.
  return name.length * 3 <= limits.rowNameBytes ? 0 : Math.max(0, Buffer.byteLength(name) - limits.rowNameBytes)
}

/** The same for a query over `item`. */
export const longNameBytesOfItem = sql<number>`(case when octet_length(item.name) > ${limits.rowNameBytes}
  then octet_length(item.name) - ${limits.rowNameBytes} else 0 end)`
