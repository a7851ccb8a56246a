import { deleteInBatches } from "../../../bounds/batches.ts"
import { prepared } from "../../../db/prepared.ts"
import type { Reader, Tx } from "../../../db/schema.ts"

const rowsPerDelete = 1_000

// A session belongs to a user: queries for a caller are by the user's id, or by the hash of a token.

export async function insertSession(tx: Tx, given: NewSession): Promise<void> {
  await tx
    .insertInto("session")
    .values({
      user_id: given.userId,
      token_hash: given.tokenHash,
      has_provider_factor: given.hasProviderFactor ? 1 : 0,
      created_at: given.now,
      seen_at: given.now,
      confirmed_at: given.confirmedAt,
      address: given.address,
      client: given.client,
    })
    .execute()
}

interface NewSession {
  userId: number
  tokenHash: string
  now: number
  confirmedAt: number
  hasProviderFactor: boolean
  address: string
  client: string
}

/** How many were confirmed: none if the session has ended. */
export async function confirmSession(tx: Tx, userId: number, sessionId: number, now: number): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable("session")
    .set({ confirmed_at: now })
    .where("user_id", "=", userId)
    .where("id", "=", sessionId)
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

export interface SessionRow {
  sessionId: number
  userId: number
  username: string
  isAdmin: number
  startedAt: number
  seenAt: number
  confirmedAt: number
  hasProviderFactor: number
  /** Whether its user has a second factor. */
  hasFactor: unknown
}

/** The session of a token, if it was started after `startedAfter` and used after `seenAfter`. */
export async function liveSession(
  db: Reader,
  tokenHash: string,
  expiry: { startedAfter: number; seenAfter: number },
): Promise<SessionRow | undefined> {
  const [row] = await liveSessions(db, { tokenHash, ...expiry }, "")
  return row
}

interface LiveSession {
  tokenHash: string
  startedAfter: number
  seenAfter: number
}

const liveSessions = prepared((db: Reader, { tokenHash, startedAfter, seenAfter }: LiveSession) =>
  db
    .selectFrom("session")
    .innerJoin("user", "user.id", "session.user_id")
    .select([
      "session.id as sessionId",
      "session.user_id as userId",
      "user.username",
      "user.is_admin as isAdmin",
      "session.created_at as startedAt",
      "session.seen_at as seenAt",
      "session.confirmed_at as confirmedAt",
      "session.has_provider_factor as hasProviderFactor",
    ])
    .select(({ exists, or, selectFrom }) =>
      or([
        exists(
          selectFrom("totp")
            .select("totp.id")
            .whereRef("totp.user_id", "=", "session.user_id")
            .where("totp.confirmed_at", "is not", null),
        ),
        exists(selectFrom("passkey").select("passkey.id").whereRef("passkey.user_id", "=", "session.user_id")),
      ]).as("hasFactor"),
    )
    .where("session.token_hash", "=", tokenHash)
    .where("session.created_at", ">", startedAfter)
    .where("session.seen_at", ">", seenAfter),
)

export interface ListedSession {
  id: number
  client: string
  address: string
  startedAt: number
  seenAt: number
}

/** Those that have not ended, the last used first. */
export function sessionsOf(
  db: Reader,
  userId: number,
  { startedAfter, seenAfter }: { startedAfter: number; seenAfter: number },
): Promise<ListedSession[]> {
  return db
    .selectFrom("session")
    .select(["id", "client", "address", "created_at as startedAt", "seen_at as seenAt"])
    .where("user_id", "=", userId)
    .where("created_at", ">", startedAfter)
    .where("seen_at", ">", seenAfter)
    .orderBy("seen_at", "desc")
    .orderBy("id", "desc")
    .execute()
}

/** Of these sessions, those that have not ended. */
export async function liveSessionIds(
  db: Reader,
  ids: readonly number[],
  { startedAfter, seenAfter }: { startedAfter: number; seenAfter: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom("session")
    .select("session.id")
    .where("session.id", "in", ids)
    .where("session.created_at", ">", startedAfter)
    .where("session.seen_at", ">", seenAfter)
    .execute()
  return rows.map(({ id }) => id)
}

export async function touchSession(
  tx: Tx,
  sessionId: number,
  { startedAt, seenAt }: { startedAt: number; seenAt: number },
): Promise<void> {
  await tx.updateTable("session").set({ created_at: startedAt, seen_at: seenAt }).where("id", "=", sessionId).execute()
}

/** Ends all sessions of a user but the newest. */
export async function endOldestSessions(tx: Tx, userId: number, { kept }: { kept: number }): Promise<void> {
  await deleteInBatches(rowsPerDelete, async () => {
    const deleted = await tx
      .deleteFrom("session")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("session")
          .select("id")
          .where("user_id", "=", userId)
          .orderBy("id", "desc")
          .limit(rowsPerDelete)
          .offset(kept),
      )
      .returning("id")
      .execute()
    return deleted.length
  })
}
