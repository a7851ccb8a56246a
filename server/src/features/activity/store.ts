import { type ActivityKind, activityKinds } from "@envkeep/contract"
import { type Expression, expressionBuilder, type Selectable, type SqlBool } from "kysely"
import type { Member } from "../../access/caller.ts"
import { isCollectionInReach as isInReach } from "../../access/reach.ts"
import type { EventRow } from "../../audit/encode.ts"
import type { Reader, Schema } from "../../db/schema.ts"
import { hourMs } from "../../durations.ts"

/** Whose events are read. The instance's are for administrators only, which the contract says. */
export type ActivityScope =
  | { kind: "collection"; caller: Member; id: number }
  | { kind: "account"; userId: number }
  | { kind: "instance" }

export interface ActivityFilter {
  kind?: ActivityKind | undefined
  personId?: number | undefined
  environmentId?: number | undefined
  /** Milliseconds; `until` itself is not included. */
  since?: number | undefined
  until?: number | undefined
}

const event = expressionBuilder<Schema, "audit_event">()

function inScope(scope: ActivityScope): Expression<SqlBool> {
  if (scope.kind === "instance") return event.lit(true)
  if (scope.kind === "account") return event("audit_event.account_id", "=", scope.userId)
  return event.and([event("audit_event.collection_id", "=", scope.id), isInReach(scope.caller, scope.id)])
}

function matching({ kind, personId, environmentId, since, until }: ActivityFilter): Expression<SqlBool> {
  const prefixes = kind === undefined ? [] : activityKinds[kind]
  return event.and([
    ...(kind === undefined ? [] : [event.or(prefixes.map((word) => event("audit_event.action", "like", `${word}.%`)))]),
    ...(personId === undefined
      ? []
      : [event("audit_event.actor_id", "=", personId), event("audit_event.actor", "=", "user")]),
    ...(environmentId === undefined ? [] : [event("audit_event.environment_id", "=", environmentId)]),
    ...(since === undefined ? [] : [event("audit_event.created_at", ">=", since)]),
    ...(until === undefined ? [] : [event("audit_event.created_at", "<", until)]),
  ])
}

/** Ids after `after` and before `before`. */
export interface Stretch {
  after: number
  before: number
}

/** The matching events, newest first. */
export function eventRows(
  db: Reader,
  scope: ActivityScope,
  { after, before, ...filter }: ActivityFilter & Stretch,
  maxRows: number,
): Promise<EventRow[]> {
  return inStretch(db, scope, { after, before }).selectAll().where(matching(filter)).limit(maxRows).execute()
}

/** The event that is so many events before `before`, whether they match or not. Undefined if there are fewer. */
export async function stretchEnd(
  db: Reader,
  scope: ActivityScope,
  stretch: Stretch,
  examined: number,
): Promise<number | undefined> {
  const row = await inStretch(db, scope, stretch)
    .select("audit_event.id")
    .offset(examined - 1)
    .limit(1)
    .executeTakeFirst()
  return row?.id
}

function inStretch(db: Reader, scope: ActivityScope, { after, before }: Stretch) {
  return db
    .selectFrom("audit_event")
    .where(inScope(scope))
    .where("audit_event.id", ">", after)
    .where("audit_event.id", "<", before)
    .orderBy("audit_event.id", "desc")
}

/** Ids follow the time but for the clocks of several nodes and changes that take long. So much they may differ. */
const clockToleranceMs = hourMs

/** Narrows a stretch to the ids of a time, so that a time long ago is found at once. Undefined if there are none. */
export async function stretchOf(
  db: Reader,
  { since, until }: ActivityFilter,
  { after, before }: Stretch,
): Promise<Stretch | undefined> {
  const events = db.selectFrom("audit_event").select("id").limit(1)
  const first =
    since === undefined
      ? { id: after + 1 }
      : await events
          .where("created_at", ">=", since - clockToleranceMs)
          .orderBy("created_at")
          .executeTakeFirst()
  const last =
    until === undefined
      ? { id: before - 1 }
      : await events
          .where("created_at", "<", until + clockToleranceMs)
          .orderBy("created_at", "desc")
          .executeTakeFirst()
  if (first === undefined || last === undefined) return undefined
  return { after: Math.max(after, first.id - 1), before: Math.min(before, last.id + 1) }
}

export type KeyReadRow = Selectable<Schema["key_read"]>

export function keyReadRows(
  db: Reader,
  caller: Member,
  { id, before, maxRows }: { id: number; before: number; maxRows: number },
): Promise<KeyReadRow[]> {
  return db
    .selectFrom("key_read")
    .selectAll()
    .where("collection_id", "=", id)
    .where(isInReach(caller, id))
    .where("id", "<", before)
    .orderBy("id", "desc")
    .limit(maxRows)
    .execute()
}
