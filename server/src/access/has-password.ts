import type { Reader } from "../db/schema.ts"

/** An account that a sign-in provider made has none until a reset link sets one. */
export async function hasPassword(db: Reader, userId: number): Promise<boolean> {
  const row = await db.selectFrom("user").select("password_hash as hash").where("id", "=", userId).executeTakeFirst()
  return Boolean(row?.hash)
}
