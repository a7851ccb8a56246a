import { type Expression, expressionBuilder, type SqlBool } from "kysely"
import type { Schema } from "../../db/schema.ts"

/** What a read covers: the environments of one collection, a single one, or some of one collection. */
export type Scope = { collectionId: number } | { environmentId: number } | { environmentIds: readonly number[] }

/** Waits until the caller may load this many bytes. */
export type HoldBytes = (bytes: number) => Promise<void>

/** Limits a query over `environment` to a scope, if there is one. */
export function inScope(scope: Scope | undefined): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "environment">()
  if (scope === undefined) return eb.and([])
  if ("environmentIds" in scope) return eb("environment.id", "in", scope.environmentIds)
  return "collectionId" in scope
    ? eb("environment.collection_id", "=", scope.collectionId)
    : eb("environment.id", "=", scope.environmentId)
}
