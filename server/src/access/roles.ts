import { type Level, strongest } from "@envkeep/contract"
import { isListed, type Listed, listed } from "../db/listed.ts"
import { prepared } from "../db/prepared.ts"
import type { Reader } from "../db/schema.ts"
import type { Reaching } from "./caller.ts"

// What users are in collections, to be shown. Whether a call is allowed is decided by `reach.ts`, inside its query.

/** The strongest role of a user in each of these collections. */
export async function rolesOf(
  db: Reader,
  { userId }: Pick<Reaching, "userId">,
  collectionIds: readonly number[],
): Promise<ReadonlyMap<number, Level>> {
  const rows = await distinctRoles(db, { userId, collectionIds: listed(db, collectionIds) }, "")
  const roles = new Map<number, Level>()
  for (const { collectionId, role } of rows) roles.set(collectionId, strongest(roles.get(collectionId) ?? role, role))
  return roles
}

interface Asked {
  userId: number
  collectionIds: Listed
}

/** Each once: a hundred teams may give the same role. */
const distinctRoles = prepared((db: Reader, { userId, collectionIds }: Asked) =>
  db
    .selectFrom("collection_member")
    .select(["collection_member.collection_id as collectionId", "collection_member.role"])
    .where("collection_member.user_id", "=", userId)
    .where(isListed(db, "collection_member.collection_id", collectionIds))
    .union((eb) =>
      eb
        .selectFrom("team_member")
        .innerJoin("collection_team", "collection_team.team_id", "team_member.team_id")
        .select(["collection_team.collection_id as collectionId", "collection_team.role"])
        .where("team_member.user_id", "=", userId)
        .where(isListed(db, "collection_team.collection_id", collectionIds)),
    ),
)
