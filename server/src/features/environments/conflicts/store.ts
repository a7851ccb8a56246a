import type { Action } from "../../../access/actions.ts"
import type { Reader } from "../../../db/schema.ts"
import type { LockedEnvironment } from "../change-environment.ts"

// What has changed since a revision, and who changed it. The environment was found within the caller's reach before.

/** Who made these revisions, by number. Those that are no longer kept are missing. */
export async function makersOf(
  db: Reader,
  environment: Pick<LockedEnvironment, "id">,
  numbers: readonly number[],
): Promise<Map<number, { actor: string; actorName: string; createdAt: number }>> {
  if (numbers.length === 0) return new Map()
  const rows = await db
    .selectFrom("revision")
    .select(["number", "actor", "actor_name as actorName", "created_at as createdAt"])
    .where("environment_id", "=", environment.id)
    .where("number", "in", numbers)
    .execute()
  return new Map(rows.map((row) => [row.number, row]))
}

/** How many of the revisions after one have changed only what the environment inherits. */
export async function inheritedSince(
  db: Reader,
  environment: Pick<LockedEnvironment, "id">,
  revision: number,
): Promise<number> {
  const action: Action = "environment.inherit"
  const row = await db
    .selectFrom("revision")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("environment_id", "=", environment.id)
    .where("number", ">", revision)
    .where("action", "=", action)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

/** The last revision with an action, if it came after another one. */
export async function lastDone(
  db: Reader,
  environment: Pick<LockedEnvironment, "id">,
  { action, after }: { action: Action; after: number },
): Promise<number | undefined> {
  const row = await db
    .selectFrom("revision")
    .select("number")
    .where("environment_id", "=", environment.id)
    .where("number", ">", after)
    .where("action", "=", action)
    .orderBy("number", "desc")
    .limit(1)
    .executeTakeFirst()
  return row?.number
}

/** The names that were written after a revision, newest first: each version, so a name can be there several times. */
export function namesSince(
  db: Reader,
  environment: Pick<LockedEnvironment, "id">,
  { revision, count }: { revision: number; count: number },
): Promise<{ name: string; revision: number; isDeleted: number | boolean }[]> {
  return db
    .selectFrom("item_version")
    .select((eb) => [
      "name",
      "revision",
      eb.and([eb("sealed_value", "is", null), eb("erased_at", "is", null)]).as("isDeleted"),
    ])
    .where("environment_id", "=", environment.id)
    .where("revision", ">", revision)
    .orderBy("revision", "desc")
    .limit(count)
    .execute() as Promise<{ name: string; revision: number; isDeleted: number | boolean }[]>
}
