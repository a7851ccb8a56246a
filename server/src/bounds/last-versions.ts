import { type Expression, expressionBuilder, type SqlBool } from "kysely"
import type { Schema } from "../db/schema.ts"

/** Which names of a state a batch is about: the next ones after a name, or given ones. */
export type NamesInBatch = { afterName: string } | { names: readonly string[] }

/**
 * For a query over `item_version`: whether it is the last one of its name up to a revision, for so many names. Found by one
 * walk through the index: to ask for each version whether it is the last one takes long if a name has thousands. A pair in
 * a subquery and no join: SQLite would read all versions of the environment for the order of a join.
 */
export function isLastVersion(
  environmentId: number,
  batch: { revision: number; count: number } & NamesInBatch,
): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "item_version">()
  return eb(
    eb.refTuple("item_version.name", "item_version.revision"),
    "in",
    eb
      .selectFrom("item_version as any")
      .select((eb) => ["any.name", eb.fn.max("any.revision").as("lastRevision")])
      .where("any.environment_id", "=", environmentId)
      .where("any.revision", "<=", batch.revision)
      .where((eb) => ("names" in batch ? eb("any.name", "in", batch.names) : eb("any.name", ">", batch.afterName)))
      .groupBy("any.name")
      .orderBy("any.name")
      .limit(batch.count)
      .$asTuple("name", "lastRevision"),
  )
}
