import type { Scope } from "@envkeep/contract"
import { deleteExpired } from "../../bounds/expiring-rows.ts"
import { hasRows } from "../../bounds/has-rows.ts"
import type { Reader, Tx } from "../../db/schema.ts"

// A login belongs to no one before it is decided. It is found by the hash of one of its two codes, which stand for reach.

interface NewLogin {
  deviceHash: string
  userCodeHash: string
  machine: string
  address: string
  now: number
  expiresAt: number
}

export async function insertLogin(tx: Tx, login: NewLogin): Promise<void> {
  await tx
    .insertInto("cli_login")
    .values({
      device_hash: login.deviceHash,
      user_code_hash: login.userCodeHash,
      machine: login.machine,
      address: login.address,
      state: "pending",
      user_id: null,
      scope: null,
      days: null,
      created_at: login.now,
      expires_at: login.expiresAt,
    })
    .execute()
}

/** Whether so many are waiting. Those that have expired must be deleted before. */
export function hasLogins(tx: Tx, max: number): Promise<boolean> {
  return hasRows(tx.selectFrom("cli_login").select("id").where("expires_at", ">", 0).orderBy("expires_at"), max)
}

export function loginByDevice(
  db: Reader,
  deviceHash: string,
  now: number,
): Promise<{ state: "pending" | "approved" | "denied" } | undefined> {
  return db
    .selectFrom("cli_login")
    .select("state")
    .where("device_hash", "=", deviceHash)
    .where("expires_at", ">", now)
    .executeTakeFirst()
}

export function waitingLogin(
  db: Reader,
  userCodeHash: string,
  now: number,
): Promise<{ machine: string; address: string; expiresAt: number } | undefined> {
  return db
    .selectFrom("cli_login")
    .select(["machine", "address", "expires_at as expiresAt"])
    .where("user_code_hash", "=", userCodeHash)
    .where("state", "=", "pending")
    .where("expires_at", ">", now)
    .executeTakeFirst()
}

interface Decision {
  state: "approved" | "denied"
  userId: number
  scope: Scope | null
  days: number | null
  now: number
}

/** The machine's name, if the login was still waiting. One statement, so that it is decided once. */
export async function decide(tx: Tx, userCodeHash: string, decision: Decision): Promise<string | undefined> {
  const { state, userId, scope, days, now } = decision
  const row = await tx
    .updateTable("cli_login")
    .set({ state, user_id: userId, scope, days })
    .where("user_code_hash", "=", userCodeHash)
    .where("state", "=", "pending")
    .where("expires_at", ">", now)
    .returning("machine")
    .executeTakeFirst()
  return row?.machine
}

export interface ApprovedLogin {
  userId: number
  machine: string
  scope: Scope
  days: 30 | 90 | 365 | null
}

/** Removes an approved login, so that its token is handed out once. */
export async function takeApproved(tx: Tx, deviceHash: string, now: number): Promise<ApprovedLogin | undefined> {
  const row = await tx
    .deleteFrom("cli_login")
    .where("device_hash", "=", deviceHash)
    .where("state", "=", "approved")
    .where("expires_at", ">", now)
    .returning(["user_id as userId", "machine", "scope", "days"])
    .executeTakeFirst()
  return row as ApprovedLogin | undefined
}

/** What the user has approved and no machine has fetched yet. */
export async function forgetApprovals(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom("cli_login").where("user_id", "=", userId).where("state", "=", "approved").execute()
}

export function deleteExpiredLogins(tx: Tx, now: number): Promise<void> {
  return deleteExpired(tx, "cli_login", now)
}
