import { limits } from "@envkeep/contract"
import { type Expression, expressionBuilder, type SqlBool } from "kysely"
import type { Schema } from "../../db/schema.ts"

/** What a read covers: the environments of one collection, a single one, or some of one collection. */
export type Scope = { collectionId: number } | { environmentId: number } | { environmentIds: readonly number[] }

/** More than this is loaded in steps. It is what one caller may have in memory at a time. */
export const bytesAtOnce = limits.collectionBytes

/** Limits a query over `environment` to a scope, if there is one. */
export function inScope(scope: Scope | undefined): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "environment">()
  if (scope === undefined) return eb.and([])
  if ("environmentIds" in scope) return eb("environment.id", "in", scope.environmentIds)
  return "collectionId" in scope
    ? eb("environment.collection_id", "=", scope.collectionId)
    : eb("environment.id", "=", scope.environmentId)
}
