import type { Tx } from "../db/schema.ts"

// How changes of an account end its sessions, in their own transaction. A user has at most a hundred of them.

/** How many have ended: none if the session is not the user's. */
export async function endSession(tx: Tx, userId: number, sessionId: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom("session")
    .where("user_id", "=", userId)
    .where("id", "=", sessionId)
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export async function endOtherSessions(tx: Tx, userId: number, sessionId: number): Promise<void> {
  await tx.deleteFrom("session").where("user_id", "=", userId).where("id", "!=", sessionId).execute()
}

/** Logins of the user that wait for their second step: each would become a session. */
export async function endWaitingSignIns(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom("pending_sign_in").where("user_id", "=", userId).execute()
}

export async function endAllSessions(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom("session").where("user_id", "=", userId).execute()
}
