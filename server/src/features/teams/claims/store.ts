import { locksRows } from "../../../db/engine.ts"
import type { Reader, Tx } from "../../../db/schema.ts"

// Teams of all users, for administrators, which the contract says, and for sign-ins at a provider.

export interface ClaimedRow {
  id: number
  name: string
  value: string
}

/** By value. */
export async function claimedTeams(db: Reader): Promise<ClaimedRow[]> {
  const rows = await db
    .selectFrom("team")
    .select(["id", "name", "claim_value as value"])
    .where("claim_value", "is not", null)
    .orderBy("claim_value")
    .execute()
  return rows.map(({ value, ...row }) => ({ ...row, value: value ?? "" }))
}

export async function countMembers(db: Reader, teamId: number): Promise<number> {
  const row = await db
    .selectFrom("team_member")
    .select((eb) => eb.fn.countAll<number>().as("count"))
    .where("team_id", "=", teamId)
    .executeTakeFirstOrThrow()
  return Number(row.count)
}

export function adminsOf(db: Reader, teamId: number): Promise<{ userId: number; username: string; email: string }[]> {
  return db
    .selectFrom("team_member")
    .innerJoin("user", "user.id", "team_member.user_id")
    .select(["user.id as userId", "user.username", "user.email"])
    .where("team_member.team_id", "=", teamId)
    .where("team_member.is_admin", "=", 1)
    .orderBy("user.username")
    .orderBy("user.id")
    .execute()
}

export function lockTeam(tx: Tx, id: number): Promise<{ id: number; name: string; value: string | null } | undefined> {
  return tx
    .selectFrom("team")
    .select(["id", "name", "claim_value as value"])
    .where("id", "=", id)
    .$if(locksRows(tx), (query) => query.forUpdate())
    .executeTakeFirst()
}

export async function setClaimValue(tx: Tx, id: number, value: string | null): Promise<void> {
  await tx.updateTable("team").set({ claim_value: value }).where("id", "=", id).execute()
}

export async function idsFilledBy(tx: Tx, values: readonly string[]): Promise<number[]> {
  if (values.length === 0) return []
  const rows = await tx.selectFrom("team").select("id").where("claim_value", "in", values).orderBy("id").execute()
  return rows.map(({ id }) => id)
}
