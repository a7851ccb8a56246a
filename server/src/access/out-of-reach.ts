import { sentences } from "@envkeep/contract"
import type { Reader } from "../db/schema.ts"
import { AppError, notFound } from "../errors.ts"
import type { Member, TeamCaller } from "./caller.ts"
import { isInReach, reachEnvironment, reachTeam } from "./reach.ts"

type Subject = { collectionId: number } | { environmentId: number } | { itemId: number }

/**
 * What a caller is told who was not found to have the level of the call. Members see that it exists, so they learn that
 * their role is too weak. To others it does not exist.
 */
export async function outOfReach(db: Reader, caller: Member, subject: Subject): Promise<AppError> {
  if (caller.level !== "viewer" && (await isVisible(db, caller, subject))) {
    return new AppError("forbidden", sentences.roleTooWeak)
  }
  if ("itemId" in subject) return notFound("Item")
  return notFound("environmentId" in subject ? "Environment" : "Collection")
}

/** The same for teams. */
export async function outOfTeam(db: Reader, caller: TeamCaller, teamId: number): Promise<AppError> {
  if (caller.team === "member") return notFound("Team")
  const row = await db
    .selectFrom("team")
    .select("team.id")
    .where("team.id", "=", teamId)
    .where(reachTeam(caller, "member"))
    .executeTakeFirst()
  return row === undefined ? notFound("Team") : new AppError("forbidden", sentences.teamAdminsOnly)
}

/** For a call whose answer may be empty, so that it does not tell, or that begins with long work. */
export async function refuseOutOfReach(db: Reader, caller: Member, collectionId: number): Promise<void> {
  if (!(await isInReach(db, caller, collectionId))) throw await outOfReach(db, caller, { collectionId })
}

async function isVisible(db: Reader, caller: Member, subject: Subject): Promise<boolean> {
  if ("collectionId" in subject) return isInReach(db, caller, subject.collectionId, "viewer")
  const row = await environmentOf(db, subject).where(reachEnvironment(caller, "viewer")).executeTakeFirst()
  return row !== undefined
}

function environmentOf(db: Reader, subject: Exclude<Subject, { collectionId: number }>) {
  const environments = db
    .selectFrom("environment")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select("environment.id")
  if ("environmentId" in subject) return environments.where("environment.id", "=", subject.environmentId)
  return environments.where("environment.id", "=", (eb) =>
    eb.selectFrom("item").select("item.environment_id").where("item.id", "=", subject.itemId),
  )
}
