import { type Level, strongest } from "@envkeep/contract"
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

/** Each once: a hundred teams may give the same role. */
function roleRows(db: Reader, userIds: readonly number[], collectionIds: readonly number[] | undefined) {
  return db
    .selectFrom("collection_member")
    .select([
      "collection_member.user_id as userId",
      "collection_member.collection_id as collectionId",
      "collection_member.role",
    ])
    .where("collection_member.user_id", "in", userIds)
    .$if(collectionIds !== undefined, (query) =>
      query.where("collection_member.collection_id", "in", collectionIds ?? []),
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
        .where("team_member.user_id", "in", userIds)
        .$if(collectionIds !== undefined, (query) =>
          query.where("collection_team.collection_id", "in", collectionIds ?? []),
        ),
    )
    .execute()
}
