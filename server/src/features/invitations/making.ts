import {
  type InputOf,
  type Invitation,
  type invitations,
  type Level,
  limits,
  type MailedInvitation,
  type mailCalls,
  sentences,
} from "@envkeep/contract"
import * as attempts from "../../access/attempts/rules.ts"
import type { Member, TeamCaller, UserCaller } from "../../access/caller.ts"
import { outOfTeam, refuseOutOfReach } from "../../access/out-of-reach.ts"
import { isInReach } from "../../access/reach.ts"
import type { Subject } from "../../audit/record.ts"
import type { Core } from "../../core/core.ts"
import type { Reader, Tx } from "../../db/schema.ts"
import { dayMs } from "../../durations.ts"
import { AppError, invalid, notFound } from "../../errors.ts"
import { hashToken, newSessionToken } from "../../keys/token.ts"
import { stateOf } from "./state.ts"
import * as store from "./store.ts"

// Making, listing and revoking invitations, of a collection, of a team, and of the server.

export function listOfCollection(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof invitations.listOfCollection>,
): Promise<Invitation[]> {
  return core.snapshot(async (snapshot) => {
    await refuseOutOfReach(snapshot, caller, id)
    return shown(snapshot, { collectionId: id })
  })
}

export function inviteToCollection(
  core: Core,
  caller: Member,
  { id, role, ...terms }: InputOf<typeof mailCalls.invitations.inviteToCollection>,
): Promise<MailedInvitation> {
  return invite(core, caller, {
    ...terms,
    role,
    async find(tx) {
      await refuseOutOfReach(tx, caller, id)
      if (role === "owner") await refuseUnlessOwner(tx, caller, id)
      return { to: { collectionId: id }, subject: { collectionId: id, role } }
    },
  })
}

export function revokeOfCollection(
  core: Core,
  caller: Member,
  { id, invitationId }: InputOf<typeof invitations.revokeOfCollection>,
): Promise<null> {
  return revoke(core, caller, {
    invitationId,
    async find(tx) {
      await refuseOutOfReach(tx, caller, id)
      const role = await store.roleOf(tx, invitationId, { collectionId: id })
      if (role === "owner") await refuseUnlessOwner(tx, caller, id)
      return { to: { collectionId: id }, subject: { collectionId: id } }
    },
  })
}

/** To invite an owner is for owners. */
async function refuseUnlessOwner(db: Reader, caller: Member, id: number): Promise<void> {
  if (!(await isInReach(db, caller, id, "owner"))) throw new AppError("forbidden", sentences.ownersOnly)
}

export function listOfTeam(
  core: Core,
  caller: TeamCaller,
  { id }: InputOf<typeof invitations.listOfTeam>,
): Promise<Invitation[]> {
  return core.snapshot(async (snapshot) => {
    await teamOf(snapshot, caller, id)
    return shown(snapshot, { teamId: id })
  })
}

export function inviteToTeam(
  core: Core,
  caller: TeamCaller,
  { id, ...terms }: InputOf<typeof mailCalls.invitations.inviteToTeam>,
): Promise<MailedInvitation> {
  return invite(core, caller, {
    ...terms,
    role: null,
    find: async (tx) => ({ to: { teamId: id }, subject: { team: await teamOf(tx, caller, id) } }),
  })
}

export function revokeOfTeam(
  core: Core,
  caller: TeamCaller,
  { id, invitationId }: InputOf<typeof invitations.revokeOfTeam>,
): Promise<null> {
  return revoke(core, caller, {
    invitationId,
    find: async (tx) => ({ to: { teamId: id }, subject: { team: await teamOf(tx, caller, id) } }),
  })
}

async function teamOf(db: Reader, caller: TeamCaller, id: number): Promise<{ id: number; name: string }> {
  const team = await store.teamInReach(db, caller, id)
  if (team === undefined) throw await outOfTeam(db, caller, id)
  return team
}

/** Administrators only, which the contract says. */
export function listOfServer(core: Core, _: UserCaller): Promise<Invitation[]> {
  return core.snapshot((snapshot) => shown(snapshot, {}))
}

export function inviteToServer(
  core: Core,
  caller: UserCaller,
  terms: InputOf<typeof mailCalls.invitations.inviteToServer>,
): Promise<MailedInvitation> {
  return invite(core, caller, { ...terms, role: null, find: async () => ({ to: {}, subject: {} }) })
}

export function revokeOfServer(
  core: Core,
  caller: UserCaller,
  { invitationId }: InputOf<typeof invitations.revokeOfServer>,
): Promise<null> {
  return revoke(core, caller, { invitationId, find: async () => ({ to: {}, subject: {} }) })
}

/** Checks that the caller may invite there. */
type Find = (tx: Tx) => Promise<{ to: store.Target; subject: Subject }>

interface Terms {
  role: Level | null
  maxUses: number
  days: number
  /** Where it is sent. Only on a server that sends mail. */
  email?: string | undefined
  find: Find
}

/**
 * Of a collection, of a team or of the server, with those that were used or revoked or have expired. Older ones stay while
 * they are open. Each new one looks through all of them, and they are deleted at once with what they invite to.
 */
const keptPerTarget = 1_000

/** Of one user, wherever they invite to: they are deleted at once with the account. The oldest go even if they are open. */
const keptPerInviter = 10_000

/** Only this answer and the mail have the secret. The store keeps its hash. */
async function invite(
  core: Core,
  caller: UserCaller,
  { role, maxUses, days, email, find }: Terms,
): Promise<MailedInvitation> {
  if (email !== undefined) await attempts.countInvitationMail(core, caller.userId)
  return core.change(caller, "invitation.create", async (tx, notes) => {
    const { to, subject } = await find(tx)
    const now = Date.now()
    if (await store.hasOpen(tx, to, { now, count: limits.openInvitations })) {
      throw invalid(sentences.tooManyInvitations)
    }
    const secret = newSessionToken()
    const row = await store.insertInvitation(tx, caller, {
      to,
      role,
      maxUses,
      secretHash: hashToken(secret),
      createdAt: now,
      expiresAt: now + days * dayMs,
    })
    await store.deleteOldClosed(tx, to, { now, kept: keptPerTarget })
    await store.deleteOldOf(tx, caller, { kept: keptPerInviter })
    if (email !== undefined) await send(core, tx, { email, secret, row })
    notes.about(subject)
    return { ...toInvitation(row, "open"), secret, sentTo: email ?? null }
  })
}

async function send(
  { mail }: Core,
  tx: Tx,
  { email, secret, row }: { email: string; secret: string; row: store.InvitationRow },
): Promise<void> {
  const { invitedBy, role, expiresAt, collectionName, teamName } = row
  const to = row.collectionId !== null ? "collection" : row.teamId !== null ? "team" : "account"
  const params = { secret, invitedBy, to, name: collectionName ?? teamName, role, expiresAt } as const
  await mail?.queue(tx, { kind: "invitation", to: email, params, expiresAt: Math.min(expiresAt, Date.now() + dayMs) })
}

function revoke(
  core: Core,
  caller: UserCaller,
  { invitationId, find }: { invitationId: number; find: Find },
): Promise<null> {
  return core.change(caller, "invitation.revoke", async (tx, notes) => {
    const { to, subject } = await find(tx)
    const revoked = await store.revoke(tx, invitationId, to)
    if (revoked === undefined) throw notFound("Invitation")
    notes.about(subject)
    if (revoked.wasRevoked) notes.nothingChanged()
    return null
  })
}

async function shown(db: Reader, to: store.Target): Promise<Invitation[]> {
  const rows = await store.invitationRows(db, to)
  // Few people make many invitations: each is asked about once.
  const mayInvite = new Map<string, boolean>()
  const list: Invitation[] = []
  for (const row of rows) {
    const inviter = `${row.invitedById} ${row.role === "owner"}`
    const mayStillInvite = mayInvite.get(inviter) ?? (await store.mayStillInvite(db, row))
    mayInvite.set(inviter, mayStillInvite)
    list.push(toInvitation(row, stateOf(row, mayStillInvite)))
  }
  return list
}

function toInvitation(row: store.InvitationRow, state: Invitation["state"]): Invitation {
  const { id, role, invitedBy, uses, maxUses } = row
  const createdAt = new Date(row.createdAt).toISOString()
  return { id, role, invitedBy, createdAt, expiresAt: new Date(row.expiresAt).toISOString(), uses, maxUses, state }
}
