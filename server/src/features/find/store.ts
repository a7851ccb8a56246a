import type { Member } from "../../access/caller.ts"
import { reachEnvironment } from "../../access/reach.ts"
import type { Reader } from "../../db/schema.ts"

export interface NamesRow {
  environmentId: number
  /** One name per line, in no order: a name cannot contain a line break. */
  lines: string
}

/** One row for each environment that has items: a row for each name would take several times as long. */
export async function nameRows(db: Reader, caller: Member, environmentIds: readonly number[]): Promise<NamesRow[]> {
  const rows = await db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select((eb) => [
      "environment.id as environmentId",
      // Not as a join, which would ask for each item whether it is in reach.
      eb
        .selectFrom("item")
        .select((eb) => eb.fn<string>("string_agg", ["item.name", eb.val("\n")]).as("lines"))
        .whereRef("item.environment_id", "=", "environment.id")
        .as("lines"),
    ])
    .where("environment.id", "in", environmentIds)
    .where(reachEnvironment(caller))
    .execute()
  return rows.flatMap(({ environmentId, lines }) => (lines === null ? [] : [{ environmentId, lines }]))
}
