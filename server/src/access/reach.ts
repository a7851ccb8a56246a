import type { Level } from "@envkeep/contract"
import { type Expression, expressionBuilder, type SqlBool } from "kysely"
import type { Schema } from "../db/schema.ts"
import type { Reaching } from "./caller.ts"

// The only place that decides which rows a user may see or change. Every query over collections, or over what belongs
// to them, has one of these in its WHERE, so that another user's row is not found.

/**
 * Limits a query over `collection` to those where the caller has the level that the contract declares for the call, or
 * another one that is given. The owner is a collection's only member and has every level. What is in the trash is out of
 * reach: only the calls about the trash find it.
 */
export function reach(caller: Reaching, level: Level = caller.level): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "collection">()
  return eb.and([isMember(caller, level), eb("collection.trashed_at", "is", null)])
}

/** The same for a query over `environment` and its `collection`. */
export function reachEnvironment(caller: Reaching): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "environment">()
  return eb.and([reach(caller), eb("environment.trashed_at", "is", null)])
}

/** Limits a query over `collection` to the caller's trash, without what is being deleted forever. */
export function reachTrash(caller: Reaching): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "collection">()
  return eb.and([isMember(caller), eb("collection.trashed_at", ">", 0)])
}

/** The same for `environment` and its `collection`, which is not in the trash itself. */
export function reachTrashedEnvironment(caller: Reaching): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "environment">()
  return eb.and([reach(caller), eb("environment.trashed_at", ">", 0)])
}

function isMember(caller: Reaching, _level: Level = caller.level): Expression<SqlBool> {
  return expressionBuilder<Schema, "collection">()("collection.owner_id", "=", caller.userId)
}

/** Whose quota pays for what a member adds to a collection. */
export function ownerOf(caller: Reaching): number {
  return caller.userId
}

/** The ids of the collections in reach, for statements that cannot join: `where("collection_id", "in", ...)`. */
export function collectionsInReach(caller: Reaching) {
  return expressionBuilder<Schema, never>().selectFrom("collection").select("collection.id").where(reach(caller))
}

export function environmentsInReach(caller: Reaching) {
  return expressionBuilder<Schema, never>()
    .selectFrom("environment")
    .select("environment.id")
    .where("environment.collection_id", "in", collectionsInReach(caller))
    .where("environment.trashed_at", "is", null)
}
