import { type Level, levelIn, rolesFrom, type Scope, type TeamLevel } from "@envkeep/contract"
import { type Expression, expressionBuilder, type SelectQueryBuilder, type SqlBool, sql } from "kysely"
import { engineOf } from "../db/engine.ts"
import type { Reader, Schema } from "../db/schema.ts"
import { type Reaching, scopeReaches, type TeamCaller, type TokenReach } from "./caller.ts"

// The only place that decides which rows a user may see or change. Every query over collections, or over what belongs
// to them, has one of these in its WHERE, so that another user's row is not found.
//
// A user is a member of a collection directly, through teams, or both, and the strongest role counts. There are two ways
// to ask: a query that names a collection or an environment looks for the membership of this one; a list begins with the
// memberships of the user. Either would be slow in the place of the other.

/**
 * Limits a query over `collection` that names one to those where the caller has the level that the contract declares for
 * the call, or another one that is given. What is in the trash is out of reach: only the calls about the trash find it.
 */
export function reach(caller: Reaching, level: Level = caller.level): Expression<SqlBool> {
  return live(caller, level, isMember(caller, level))
}

/** The same for a list of collections. */
export function reachAll(db: Reader, caller: Reaching): Expression<SqlBool> {
  return live(caller, caller.level, isAmong(db, caller, caller.level))
}

/**
 * The same for a page of such a list: the next collections by id, so many of them. Each way of being a member gives no more
 * than a page. Among thousands of ids, PostgreSQL compares each collection with each of them in a new store, and again for
 * each page.
 */
export function reachPage(db: Reader, caller: Reaching, page: { lastId: number; count: number }): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "collection" | "collection_member" | "collection_team">()
  const isOnPage = (id: "collection_member.collection_id" | "collection_team.collection_id") =>
    // The ids of both, because PostgreSQL does not conclude one from the other.
    eb.and([
      ...limitsOfToken(caller, caller.level),
      eb("collection.trashed_at", "is", null),
      eb("collection.id", ">", page.lastId),
      eb(id, ">", page.lastId),
    ])
  const { direct, throughTeams } = memberships(caller, caller.level)
  const directly = direct
    .innerJoin("collection", "collection.id", "collection_member.collection_id")
    .where(isOnPage("collection_member.collection_id"))
    .orderBy("collection_member.collection_id")
    .limit(page.count)
  const inTeams = throughTeams
    .innerJoin("collection", "collection.id", "collection_team.collection_id")
    .where(isOnPage("collection_team.collection_id"))
    .orderBy("collection_team.collection_id")
    .limit(page.count)
  return isIdIn(
    db,
    eb
      .selectFrom(directly.as("directly"))
      .select("directly.collection_id")
      .unionAll(eb.selectFrom(inTeams.as("inTeams")).select("inTeams.collection_id")),
  )
}

/** The same as `reach` for a query over `environment` and its `collection`. */
export function reachEnvironment(caller: Reaching, level: Level = caller.level): Expression<SqlBool> {
  return liveEnvironment(live(caller, level, isMemberFor(caller, level)))
}

/** Limits a list of collections to the caller's trash, without what is being deleted forever. */
export function reachAllTrash(db: Reader, caller: Reaching): Expression<SqlBool> {
  return trashed(caller, isAmong(db, caller, caller.level))
}

/** The same for a query that names a collection. */
export function reachTrash(caller: Reaching): Expression<SqlBool> {
  return trashed(caller, isMember(caller, caller.level))
}

/** The same for `environment` and its `collection`, which is not in the trash itself. */
export function reachTrashedEnvironment(caller: Reaching): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "environment">()
  return eb.and([reach(caller), eb("environment.trashed_at", ">", 0)])
}

/** Limits a query over `team` that names one to those where the caller is what the contract declares for the call. */
export function reachTeam(
  caller: Pick<TeamCaller, "userId" | "team">,
  team: TeamLevel = caller.team,
): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "team">()
  return eb.exists(
    eb
      .selectFrom("team_member")
      .select("team_member.id")
      .whereRef("team_member.team_id", "=", "team.id")
      .where("team_member.user_id", "=", caller.userId)
      .$if(team === "admin", (query) => query.where("team_member.is_admin", "=", 1)),
  )
}

/** What a personal token takes away from its user's reach. */
function limitsOfToken({ token }: Reaching, level: Level): Expression<SqlBool>[] {
  const eb = expressionBuilder<Schema, "collection">()
  if (!scopeReaches({ token }, level)) return [eb.lit(false)]
  if (token === undefined || !token.isLimited) return []
  const listed = eb.selectFrom("token_collection").select("collection_id").where("token_id", "=", token.id)
  return [eb("collection.id", "in", listed)]
}

/**
 * For a query over `collection`, beside its `reach`: whether the caller's role shows the values of protected environments.
 * The scope of a token is about the call.
 */
export function seesProtected(caller: Reaching): Expression<SqlBool> {
  return isMember(caller, levelIn({ isProtected: true }, "reader"))
}

// A prepared query cannot see its caller, only parameters. What changes its text is the variant.

export type ReachVariant = Level | `${Level} ${Scope}` | `${Level} ${Scope} limited`

export interface ReachParams {
  userId: number
  tokenId: number
}

export function reachVariant({ level, token }: Reaching): ReachVariant {
  if (token === undefined) return level
  return token.isLimited ? `${level} ${token.scope} limited` : `${level} ${token.scope}`
}

export function reachParams({ userId, token }: Reaching): ReachParams {
  return { userId, tokenId: token?.id ?? 0 }
}

/** The caller again, inside the prepared query. */
export function reachingOf({ userId, tokenId }: ReachParams, variant: ReachVariant): Reaching {
  const [level, scope, limited] = variant.split(" ") as [Level, Scope?, "limited"?]
  const token: TokenReach | undefined = scope && { id: tokenId, scope, isLimited: limited !== undefined }
  return { userId, level, token }
}

// For statements that cannot join.

/** Whether a collection is in reach, whatever the statement is over. */
export function isCollectionInReach(caller: Reaching, collectionId: number): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, never>()
  return eb.exists(
    eb.selectFrom("collection").select("collection.id").where("collection.id", "=", collectionId).where(reach(caller)),
  )
}

/** The same as a query of its own. */
export async function isInReach(
  db: Reader,
  caller: Reaching,
  collectionId: number,
  level: Level = caller.level,
): Promise<boolean> {
  const row = await db
    .selectFrom("collection")
    .select("collection.id")
    .where("collection.id", "=", collectionId)
    .where(reach(caller, level))
    .executeTakeFirst()
  return row !== undefined
}

/** For a statement over `environment`. */
export function isEnvironmentInReach(caller: Reaching): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "environment">()
  const collection = eb
    .selectFrom("collection")
    .select("collection.id")
    .whereRef("collection.id", "=", "environment.collection_id")
    .where(live(caller, caller.level, isMemberFor(caller, caller.level)))
  return liveEnvironment(eb.exists(collection))
}

/** For a statement over `api_key`. */
export function isApiKeyInReach(caller: Reaching): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "api_key">()
  return eb.exists(
    eb
      .selectFrom("environment")
      .innerJoin("collection", "collection.id", "environment.collection_id")
      .select("environment.id")
      .whereRef("environment.id", "=", "api_key.environment_id")
      .where(reachEnvironment(caller)),
  )
}

/** For a query over `collection`: whether others than the one who pays for it are in it. */
export function isShared(): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "collection">()
  return eb.or([
    eb.exists(
      eb
        .selectFrom("collection_member")
        .select("collection_member.id")
        .whereRef("collection_member.collection_id", "=", "collection.id")
        .whereRef("collection_member.user_id", "<>", "collection.owner_id"),
    ),
    eb.exists(
      eb
        .selectFrom("collection_team")
        .select("collection_team.id")
        .whereRef("collection_team.collection_id", "=", "collection.id"),
    ),
  ])
}

/**
 * For a query over `collection_member`: whether an owner asks this member. A request counts only as long as the one who
 * asks is an owner: others cannot give the collection away.
 */
export function isAskedByOwner(): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "collection_member">()
  return eb.or([
    eb.exists(
      eb
        .selectFrom("collection_member as asker")
        .select("asker.id")
        .whereRef("asker.collection_id", "=", "collection_member.collection_id")
        .whereRef("asker.user_id", "=", "collection_member.asked_to_pay_by")
        .where("asker.role", "=", "owner"),
    ),
    eb.exists(
      eb
        .selectFrom("collection_team")
        .innerJoin("team_member", "team_member.team_id", "collection_team.team_id")
        .select("collection_team.id")
        .whereRef("collection_team.collection_id", "=", "collection_member.collection_id")
        .whereRef("team_member.user_id", "=", "collection_member.asked_to_pay_by")
        .where("collection_team.role", "=", "owner"),
    ),
  ])
}

function live(caller: Reaching, level: Level, isMember: Expression<SqlBool>): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "collection">()
  return eb.and([isMember, ...limitsOfToken(caller, level), eb("collection.trashed_at", "is", null)])
}

function trashed(caller: Reaching, isMember: Expression<SqlBool>): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "collection">()
  return eb.and([isMember, ...limitsOfToken(caller, caller.level), eb("collection.trashed_at", ">", 0)])
}

function liveEnvironment(isInReach: Expression<SqlBool>): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "environment">()
  return eb.and([isInReach, eb("environment.trashed_at", "is", null)])
}

type RoleTest = (role: Expression<Level>) => Expression<SqlBool>

/** Of one collection: whether the user has the level there. */
function isMember(caller: Reaching, level: Level): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, never>()
  return hasRole(caller, (role) => eb(role, "in", rolesFrom(level)))
}

/**
 * Of the collection of one environment: whether the user has the level there, or the one above if the environment is
 * protected. Asked of each membership: to look for one level and then for the other takes twice as many subqueries, and
 * PostgreSQL plans them for longer than it runs them. The scope of a token is about the call, and stays.
 */
function isMemberFor(caller: Reaching, level: Level): Expression<SqlBool> {
  const protectedLevel = levelIn({ isProtected: true }, level)
  if (protectedLevel === level) return isMember(caller, level)
  const eb = expressionBuilder<Schema, "environment">()
  return hasRole(caller, (role) =>
    eb.or([
      eb(role, "in", rolesFrom(protectedLevel)),
      eb.and([eb("environment.is_protected", "=", 0), eb(role, "in", rolesFrom(level))]),
    ]),
  )
}

function hasRole({ userId }: Reaching, isEnough: RoleTest): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "collection">()
  return eb.or([
    eb.exists(
      eb
        .selectFrom("collection_member")
        .select("collection_member.id")
        .whereRef("collection_member.collection_id", "=", "collection.id")
        .where("collection_member.user_id", "=", userId)
        .where((eb) => isEnough(eb.ref("collection_member.role"))),
    ),
    eb.exists(
      eb
        .selectFrom("collection_team")
        .innerJoin("team_member", "team_member.team_id", "collection_team.team_id")
        .select("collection_team.id")
        .whereRef("collection_team.collection_id", "=", "collection.id")
        .where("team_member.user_id", "=", userId)
        .where((eb) => isEnough(eb.ref("collection_team.role"))),
    ),
  ])
}

/**
 * Of all collections: those where the user has the level. PostgreSQL gets their ids as an array, which it looks up first: a
 * subquery is looked up for each collection as long as it believes, in a new store, that there are few of both.
 */
function isAmong(db: Reader, caller: Reaching, level: Level): Expression<SqlBool> {
  const { direct, throughTeams } = memberships(caller, level)
  return isIdIn(db, direct.unionAll(throughTeams))
}

function isIdIn(db: Reader, ids: SelectQueryBuilder<Schema, never, { collection_id: number }>): Expression<SqlBool> {
  const eb = expressionBuilder<Schema, "collection">()
  if (engineOf(db) === "sqlite") return eb("collection.id", "in", ids)
  return sql<SqlBool>`${eb.ref("collection.id")} = any(array${ids})`
}

/** The two ways in which a user has the level in a collection. */
function memberships({ userId }: Reaching, level: Level) {
  const eb = expressionBuilder<Schema, never>()
  const direct = eb
    .selectFrom("collection_member")
    .select("collection_member.collection_id")
    .where("collection_member.user_id", "=", userId)
    .where("collection_member.role", "in", rolesFrom(level))
  const throughTeams = eb
    .selectFrom("team_member")
    .innerJoin("collection_team", "collection_team.team_id", "team_member.team_id")
    .select("collection_team.collection_id")
    .where("team_member.user_id", "=", userId)
    .where("collection_team.role", "in", rolesFrom(level))
  return { direct, throughTeams }
}
