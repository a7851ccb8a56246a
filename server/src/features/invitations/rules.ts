import { type InputOf, type InvitationOffer, type invitations, type OutputOf, sentences } from "@envkeep/contract"
import * as attempts from "../../access/attempts/rules.ts"
import type { UserCaller, Visitor } from "../../access/caller.ts"
import type { Subject } from "../../audit/record.ts"
import type { Core, Notes } from "../../core/core.ts"
import type { Reader, Tx } from "../../db/schema.ts"
import { dayMs } from "../../durations.ts"
import { AppError, conflict } from "../../errors.ts"
import { hashToken } from "../../keys/token.ts"
import { joinCollection } from "../members/rules.ts"
import { joinTeam } from "../teams/rules.ts"
import { stateOf } from "./state.ts"
import * as store from "./store.ts"

// What the holder of an invitation's secret can do with it. `making.ts` is the other side.

/** Fails if the invitation cannot be used. It then does not say what it was for. */
export async function checkInvitation(
  core: Core,
  caller: Visitor,
  { secret }: InputOf<typeof invitations.look>,
): Promise<InvitationOffer> {
  await attempts.countInvitation(core, caller.address)
  const row = await usable(core.db, hashToken(secret))
  const { invitedBy, role } = row
  const expiresAt = new Date(row.expiresAt).toISOString()
  if (row.collectionId !== null) return { invitedBy, to: "collection", name: row.collectionName, role, expiresAt }
  if (row.teamId !== null) return { invitedBy, to: "team", name: row.teamName, role, expiresAt }
  return { invitedBy, to: "account", name: null, role, expiresAt }
}

export async function acceptInvitation(
  core: Core,
  caller: UserCaller,
  { secret }: InputOf<typeof invitations.accept>,
): Promise<OutputOf<typeof invitations.accept>> {
  await attempts.countInvitation(core, caller.address)
  return core.change(caller, "invitation.accept", async (tx, notes) => {
    const { userId } = caller
    const { isUsed, subject, ...target } = await acceptWithin(tx, notes, { secret, userId, isNewAccount: false })
    notes.about(subject)
    if (!isUsed) notes.nothingChanged()
    return target
  })
}

interface Accepted {
  collectionId: number | null
  teamId: number | null
  /** False if the user had it all before. Then the invitation can still be used by another. */
  isUsed: boolean
  subject: Subject
}

/** Inside a transaction of the caller. */
export async function acceptWithin(
  tx: Tx,
  notes: Notes,
  { secret, userId, isNewAccount }: { secret: string; userId: number; isNewAccount: boolean },
): Promise<Accepted> {
  const row = await usable(tx, hashToken(secret))
  const { id, collectionId, teamId, role } = row
  const isUsed = await join(tx, notes, { row, userId, isNewAccount })
  if (isUsed) {
    // The change that was waited for may have taken the inviter's role away.
    if (!(await store.mayStillInvite(tx, row))) throw refusals.paused()
    // Of two that try to use it for the last time, one gets no row.
    if ((await store.useOnce(tx, id, Date.now())) === undefined) throw refusals.used()
  }
  const subject = {
    userId,
    ...(collectionId === null ? {} : { collectionId }),
    ...(teamId === null ? {} : { team: { id: teamId, name: row.teamName ?? "" } }),
    ...(role === null ? {} : { role }),
  }
  return { collectionId, teamId, isUsed, subject }
}

/** Returns whether it gave the user anything. */
function join(
  tx: Tx,
  notes: Notes,
  { row, userId, isNewAccount }: { row: store.InvitationRow; userId: number; isNewAccount: boolean },
): Promise<boolean> {
  const { collectionId, teamId, role } = row
  if (collectionId !== null && role !== null) return joinCollection(tx, notes, { collectionId, userId, role })
  if (teamId !== null) return joinTeam(tx, notes, { teamId, userId })
  return Promise.resolve(isNewAccount)
}

async function usable(db: Reader, secretHash: string): Promise<store.InvitationRow> {
  const row = await store.findInvitation(db, secretHash)
  if (row === undefined) throw new AppError("not_found", sentences.invitationUnknown)
  const state = stateOf(row, await store.mayStillInvite(db, row))
  if (state !== "open") throw refusals[state]()
  return row
}

const refusals = {
  used: () => new AppError("gone", sentences.invitationUsed),
  paused: () => conflict(sentences.invitationPaused),
  revoked: () => new AppError("gone", sentences.invitationRevoked),
  expired: () => new AppError("gone", sentences.invitationExpired),
}

/** So long it is still known, and its holder is told that it has expired or was used. */
export const keptInvitationMs = 30 * dayMs
