import { z } from "zod"
import { call } from "./call.ts"
import { limits } from "./limits.ts"
import { role } from "./members.ts"
import { levels } from "./roles.ts"
import { fields, id, shown, text } from "./text.ts"

/** An invitation, for those who may make one. Without its secret, which is shown once. */
export const Invitation = z.object({
  id: z.number(),
  /** What it gives in a collection; null for a team and for an account. */
  role: z.enum(levels).nullable(),
  invitedBy: shown,
  /** ISO 8601. */
  createdAt: z.string(),
  expiresAt: z.string(),
  uses: z.number(),
  maxUses: z.number(),
  /** "paused" while its inviter may not invite. If they may again before it expires, it is open again. */
  state: z.enum(["open", "paused", "used", "revoked", "expired"]),
})
export type Invitation = z.output<typeof Invitation>

/** The link is `/invitation#secret` below the server's address. A fragment is not sent, so no log sees it. */
export const NewInvitation = Invitation.extend({ secret: z.string() })
export type NewInvitation = z.output<typeof NewInvitation>

/** What an invitation is for, for anyone who has its secret. */
export const InvitationOffer = z.object({
  invitedBy: shown,
  to: z.enum(["collection", "team", "account"]),
  /** Of the collection or team. */
  name: shown.nullable(),
  role: z.enum(levels).nullable(),
  expiresAt: z.string(),
})
export type InvitationOffer = z.output<typeof InvitationOffer>

export const invitationSecret = text({ label: "Invitation", max: limits.resetToken, trim: false })

const whole = (label: string, max: number) => {
  const refusal = { error: `${label} must be a whole number from 1 to ${max}` }
  return z.int(refusal).min(1, refusal).max(max, refusal)
}
const terms = {
  maxUses: whole("Uses", limits.invitationUses).default(1),
  days: whole("Days", limits.invitationDays).default(7),
}

export const invitations = {
  listOfCollection: call({
    access: "user",
    level: "maintainer",
    method: "GET",
    path: "/collections/{id}/invitations",
    summary: "The invitations to a collection, newest first.",
    input: fields({ id }),
    output: z.array(Invitation),
    done: "OK",
  }),
  inviteToCollection: call({
    access: "user",
    level: "maintainer",
    method: "POST",
    path: "/collections/{id}/invitations",
    summary: "Makes an invitation to a role in a collection. Only owners invite owners.",
    input: fields({ id, role, ...terms }),
    output: NewInvitation,
    done: "Invitation created successfully",
    status: 201,
  }),
  revokeOfCollection: call({
    access: "user",
    level: "maintainer",
    method: "DELETE",
    path: "/collections/{id}/invitations/{invitationId}",
    summary: "Revokes an invitation to a collection. Those who have used it stay.",
    input: fields({ id, invitationId: id }),
    output: z.null(),
    done: "Invitation revoked successfully",
  }),
  listOfTeam: call({
    access: "user",
    team: "admin",
    token: "manage",
    method: "GET",
    path: "/teams/{id}/invitations",
    summary: "The invitations to a team, newest first.",
    input: fields({ id }),
    output: z.array(Invitation),
    done: "OK",
  }),
  inviteToTeam: call({
    access: "user",
    team: "admin",
    token: "manage",
    method: "POST",
    path: "/teams/{id}/invitations",
    summary: "Makes an invitation to a team.",
    input: fields({ id, ...terms }),
    output: NewInvitation,
    done: "Invitation created successfully",
    status: 201,
  }),
  revokeOfTeam: call({
    access: "user",
    team: "admin",
    token: "manage",
    method: "DELETE",
    path: "/teams/{id}/invitations/{invitationId}",
    summary: "Revokes an invitation to a team. Those who have used it stay.",
    input: fields({ id, invitationId: id }),
    output: z.null(),
    done: "Invitation revoked successfully",
  }),
  listOfServer: call({
    access: "admin",
    token: "manage",
    method: "GET",
    path: "/admin/invitations",
    summary: "The invitations to make an account, newest first.",
    input: fields({}),
    output: z.array(Invitation),
    done: "OK",
  }),
  inviteToServer: call({
    access: "admin",
    token: "manage",
    method: "POST",
    path: "/admin/invitations",
    summary: "Makes an invitation to make an account.",
    input: fields(terms),
    output: NewInvitation,
    done: "Invitation created successfully",
    status: 201,
  }),
  revokeOfServer: call({
    access: "admin",
    token: "manage",
    method: "DELETE",
    path: "/admin/invitations/{invitationId}",
    summary: "Revokes an invitation to make an account.",
    input: fields({ invitationId: id }),
    output: z.null(),
    done: "Invitation revoked successfully",
  }),
  look: call({
    access: "anyone",
    method: "POST",
    path: "/invitations/look",
    summary:
      "Who invites to what. An invitation that was used, revoked or has expired, or is paused because its inviter may not invite now, only says so.",
    input: fields({ secret: invitationSecret }),
    output: InvitationOffer,
    done: "OK",
  }),
  accept: call({
    access: "user",
    token: "manage",
    method: "POST",
    path: "/invitations/accept",
    summary: "Makes the caller a member. A weaker role than the caller has changes nothing.",
    input: fields({ secret: invitationSecret }),
    output: z.object({ collectionId: z.number().nullable(), teamId: z.number().nullable() }),
    done: "Invitation accepted",
  }),
}
