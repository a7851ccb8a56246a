import { type Level, strongest } from "@envkeep/contract"
import { isListed, type Listed, listed } from "../db/listed.ts"
import { prepared } from "../db/prepared.ts"
import type { Reader } from "../db/schema.ts"
import type { Reaching } from "./caller.ts"

// What users are in collections, to be shown. Whether a call is allowed is decided by `reach.ts`, inside its query.

/** The strongest role of a user in each collection, or in some of them. */
export async function rolesOf(
  db: Reader,
  { userId }: Pick<Reaching, "userId">,
  collectionIds?: readonly number[],
): Promise<ReadonlyMap<number, Level>> {
  const roles = new Map<number, Level>()
  for (const { collectionId, role } of await roleRows(db, [userId], collectionIds)) {
    roles.set(collectionId, strongest(roles.get(collectionId) ?? role, role))
  }
  return roles
}

/** The strongest role of each user in one collection. Every collection may be asked for once. */
export async function rolesIn(
  db: Reader,
  asked: readonly { userId: number; collectionId: number }[],
): Promise<ReadonlyMap<number, Level>> {
  const userOf = new Map(asked.map(({ userId, collectionId }) => [collectionId, userId]))
  const roles = new Map<number, Level>()
  for (const { userId, collectionId, role } of await roleRows(db, [...new Set(userOf.values())], [...userOf.keys()])) {
    if (userOf.get(collectionId) === userId) {
      roles.set(collectionId, strongest(roles.get(collectionId) ?? role, role))
    }
  }
  return roles
}

function roleRows(db: Reader, userIds: readonly number[], collectionIds: readonly number[] | undefined) {
  const given = { userIds: listed(db, userIds), collectionIds: listed(db, collectionIds ?? []) }
  return distinctRoles(db, given, collectionIds === undefined ? "in all collections" : "in some")
}

interface Asked {
  userIds: Listed
  collectionIds: Listed
}

/** Each once: a hundred teams may give the same role. */
const distinctRoles = prepared((db: Reader, asked: Asked, where: "in all collections" | "in some") =>
  db
    .selectFrom("collection_member")
    .select([
      "collection_member.user_id as userId",
      "collection_member.collection_id as collectionId",
      "collection_member.role",
    ])
    .where(isListed(db, "collection_member.user_id", asked.userIds))
    .$if(where === "in some", (query) =>
      query.where(isListed(db, "collection_member.collection_id", asked.collectionIds)),
    )
    .union((eb) =>
      eb
        .selectFrom("team_member")
        .innerJoin("collection_team", "collection_team.team_id", "team_member.team_id")
        .select([
          "team_member.user_id as userId",
          "collection_team.collection_id as collectionId",
          "collection_team.role",
        ])
        .where(isListed(db, "team_member.user_id", asked.userIds))
        .$if(where === "in some", (query) =>
          query.where(isListed(db, "collection_team.collection_id", asked.collectionIds)),
        ),
    ),
)
