import { type Random, seeded } from "@envkeep/testing/crash/random.ts"
import type { RowWriter } from "./row-writer.ts"

const dayMs = 24 * 3_600_000
/** Long enough ago that there is a history, and not so long that a job would remove it. */
const historyMs = 20 * dayMs

/** What the parts of a store have in common while it is filled. */
export interface Filling {
  writer: RowWriter
  random: Random
  /** The next id of a table. */
  nextId(table: string): number
  /** A time in the last weeks. */
  sometime(): number
  now: number
}

export function beginFilling(writer: RowWriter): Filling {
  const random = seeded(1)
  const ids = new Map<string, number>()
  const now = Date.now()
  return {
    writer,
    random,
    now,
    nextId(table) {
      const id = (ids.get(table) ?? 0) + 1
      ids.set(table, id)
      return id
    },
    sometime: () => now - random.below(historyMs),
  }
}
