import { type Expression, expressionBuilder, type SqlBool } from "kysely"
import type { Schema } from "../../db/schema.ts"

/** What a read covers: the environments of one collection, or a single one. */
export type Scope = { collectionId: number } | { environmentId: number }

/** Limits a query over `environment` to a scope, if there is one. */
export function inScope(scope: Scope | undefined): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "environment">()
  if (scope === undefined) return eb.and([])
  return "collectionId" in scope
    ? eb("environment.collection_id", "=", scope.collectionId)
    : eb("environment.id", "=", scope.environmentId)
}
