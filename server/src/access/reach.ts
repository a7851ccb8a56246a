import type { Level } from "@envkeep/contract"
import { type Expression, expressionBuilder, type SqlBool } from "kysely"
import type { Schema } from "../db/schema.ts"
import type { Member } from "./caller.ts"

// Which rows a user may touch is said here and nowhere else. Every query over collections, or over what belongs to them,
// carries one of these in its WHERE, so that another user's row is simply not found.

/**
 * Narrows a query over `collection` to those where the caller has a level: the one the contract declares for the call,
 * unless another is named. The owner is a collection's only member and has every level.
 */
export function reach(caller: Member, _level: Level = caller.level): Expression<SqlBool> {
  return expressionBuilder<Schema, "collection">()("collection.owner_id", "=", caller.userId)
}

/** The ids of the collections in reach, for statements that cannot join: `where("collection_id", "in", ...)`. */
export function collectionsInReach(caller: Member) {
  return expressionBuilder<Schema, never>().selectFrom("collection").select("collection.id").where(reach(caller))
}

/** The ids of the environments in reach. */
export function environmentsInReach(caller: Member) {
  return expressionBuilder<Schema, never>()
    .selectFrom("environment")
    .select("environment.id")
    .where("environment.collection_id", "in", collectionsInReach(caller))
}
