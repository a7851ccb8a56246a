import { type SqlBool, sql } from "kysely"
import { locksRows } from "../db/engine.ts"
import type { Reader, Tx } from "../db/schema.ts"

// The queue. Mails are found because they are due, not for a caller.

export interface NewRow {
  messageId: string
  kind: string
  userId: number | null
  sealed: Uint8Array
  createdAt: number
  dueAt: number
  expiresAt: number
}

export async function insertMail(tx: Tx, row: NewRow): Promise<void> {
  await tx
    .insertInto("mail")
    .values({
      message_id: row.messageId,
      kind: row.kind,
      user_id: row.userId,
      sealed: row.sealed,
      created_at: row.createdAt,
      due_at: row.dueAt,
      expires_at: row.expiresAt,
    })
    .execute()
}

export async function deleteMail(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom("mail").where("id", "=", id).execute()
}

/** Adds one to a mail of this kind that has not been tried yet. False if there is none. */
export async function addNotice(tx: Tx, userId: number, kind: string): Promise<boolean> {
  const row = await tx
    .updateTable("mail")
    .set((eb) => ({ notices: eb("notices", "+", 1) }))
    .where("user_id", "=", userId)
    .where("kind", "=", kind)
    .where("claim", "is", null)
    .where("tries", "=", 0)
    .where("gave_up_at", "is", null)
    .returning("id")
    .executeTakeFirst()
  return row !== undefined
}

export interface Recipient {
  userId: number
  email: string
}

/** Undefined if the account is disabled or gone. */
export function recipientOf(db: Reader, userId: number): Promise<Recipient | undefined> {
  return recipients(db).where("user.id", "=", userId).executeTakeFirst()
}

/** The owners of a collection, directly or through a team. */
export function ownersOf(db: Reader, collectionId: number): Promise<Recipient[]> {
  return recipients(db)
    .where((eb) =>
      eb.or([
        eb(
          "user.id",
          "in",
          eb
            .selectFrom("collection_member")
            .select("user_id")
            .where("collection_id", "=", collectionId)
            .where("role", "=", "owner"),
        ),
        eb(
          "user.id",
          "in",
          eb
            .selectFrom("collection_team")
            .innerJoin("team_member", "team_member.team_id", "collection_team.team_id")
            .select("team_member.user_id")
            .where("collection_team.collection_id", "=", collectionId)
            .where("collection_team.role", "=", "owner"),
        ),
        eb("user.id", "in", eb.selectFrom("collection").select("owner_id").where("id", "=", collectionId)),
      ]),
    )
    .orderBy("user.id")
    .execute()
}

function recipients(db: Reader) {
  return db.selectFrom("user").select(["user.id as userId", "user.email"]).where("user.disabled_at", "is", null)
}

export interface KeyNames {
  apiKeyName: string
  environmentName: string
  collectionName: string
  collectionId: number
}

export function namesOfKey(db: Reader, apiKeyId: number): Promise<KeyNames | undefined> {
  return db
    .selectFrom("api_key")
    .innerJoin("environment", "environment.id", "api_key.environment_id")
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select([
      "api_key.name as apiKeyName",
      "environment.name as environmentName",
      "collection.name as collectionName",
      "collection.id as collectionId",
    ])
    .where("api_key.id", "=", apiKeyId)
    .executeTakeFirst()
}

export interface ClaimedMail {
  id: number
  messageId: string
  kind: string
  sealed: Uint8Array | null
  notices: number
  tries: number
  /** Of the last try. */
  fault: string | null
  expiresAt: number
}

/**
 * Links for a forgotten password, which expire in an hour, and notices. Invitations come after them: with many accounts, one
 * caller can send thousands. Written as in the index `mail_awaited`, which is used only then.
 */
const isAwaited = sql<SqlBool>`kind <> 'invitation'`

/**
 * The mail that has waited longest, an invitation only if no other is due, for this node alone until `endsAt`. If the node
 * does not come back to it, the mail is due again then.
 */
export async function claimNext(
  tx: Tx,
  claim: string,
  { now, endsAt }: { now: number; endsAt: number },
): Promise<ClaimedMail | undefined> {
  const due = tx
    .selectFrom("mail")
    .select("id")
    .where("gave_up_at", "is", null)
    .where("due_at", "<=", now)
    .orderBy("due_at")
    .orderBy("id")
    .limit(1)
    .$if(locksRows(tx), (query) => query.forUpdate().skipLocked())
  const claimFirst = (of: typeof due) =>
    tx
      .updateTable("mail")
      .set({ claim, due_at: endsAt })
      .where("id", "in", of)
      .where("due_at", "<=", now)
      .returning([
        "id",
        "message_id as messageId",
        "kind",
        "sealed",
        "notices",
        "tries",
        "fault",
        "expires_at as expiresAt",
      ])
      .executeTakeFirst()
  return (await claimFirst(due.where(isAwaited))) ?? claimFirst(due)
}

/** Only by the node that has claimed it. */
export async function retryAt(
  tx: Tx,
  { id, claim }: { id: number; claim: string },
  { now, dueAt, fault }: { now: number; dueAt: number; fault: string },
): Promise<void> {
  await tx
    .updateTable("mail")
    .set((eb) => ({ claim: null, due_at: dueAt, fault, failed_at: now, tries: eb("tries", "+", 1) }))
    .where("id", "=", id)
    .where("claim", "=", claim)
    .execute()
}

/** As if it had not been tried. */
export async function release(tx: Tx, { id, claim }: { id: number; claim: string }, dueAt: number): Promise<void> {
  await tx
    .updateTable("mail")
    .set({ claim: null, due_at: dueAt })
    .where("id", "=", id)
    .where("claim", "=", claim)
    .execute()
}

/** What it was made from is secret, and not needed any more. */
export async function giveUp(
  tx: Tx,
  { id, claim }: { id: number; claim: string },
  { now, fault }: { now: number; fault: string },
): Promise<void> {
  await tx
    .updateTable("mail")
    .set((eb) => ({
      claim: null,
      sealed: null,
      gave_up_at: now,
      failed_at: now,
      fault,
      tries: eb("tries", "+", 1),
    }))
    .where("id", "=", id)
    .where("claim", "=", claim)
    .execute()
}

/** Those that failed because the server was away, once it is back. */
export async function retryNow(tx: Tx, faults: readonly string[], now: number): Promise<void> {
  await tx
    .updateTable("mail")
    .set({ due_at: now })
    .where("gave_up_at", "is", null)
    .where("due_at", ">", now)
    .where("claim", "is", null)
    .where("fault", "in", faults)
    .execute()
}

export async function hasDue(db: Reader, now: number): Promise<boolean> {
  const row = await db
    .selectFrom("mail")
    .select("id")
    .where("gave_up_at", "is", null)
    .where("due_at", "<=", now)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function countMail(db: Reader): Promise<{ waiting: number; givenUp: number }> {
  const count = async (isGivenUp: boolean) => {
    const row = await db
      .selectFrom("mail")
      .select((eb) => eb.fn.countAll<number>().as("count"))
      .where("gave_up_at", isGivenUp ? "is not" : "is", null)
      .executeTakeFirstOrThrow()
    return Number(row.count)
  }
  return { waiting: await count(false), givenUp: await count(true) }
}

export function lastFault(db: Reader): Promise<{ fault: string | null; failedAt: number | null } | undefined> {
  return db
    .selectFrom("mail")
    .select(["fault", "failed_at as failedAt"])
    .where("fault", "is not", null)
    .orderBy("failed_at", "desc")
    .limit(1)
    .executeTakeFirst()
}
