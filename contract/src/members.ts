import { z } from "zod"
import { call } from "./call.ts"
import { firstCalls } from "./first-calls.ts"
import { limits } from "./limits.ts"
import { levels } from "./roles.ts"
import { fields, id, shown, text } from "./text.ts"

/** A user as other users see them. */
export const Person = z.object({ userId: z.number(), username: shown, email: z.string() })
export type Person = z.output<typeof Person>

/** Exactly one account, so that no one can list accounts. */
export const who = text({ label: "Username or email", max: limits.email, required: "Username or email is required" })

export const role = z.enum(levels, { error: `Role must be one of ${levels.join(", ")}` })

/**
 * A user with a role of their own. `isPayer`: the owner whose quota pays for the collection. `isAskedToPay`: an owner has
 * asked this member to take the collection over.
 */
export const CollectionMember = Person.extend({
  role: z.enum(levels),
  isPayer: z.boolean(),
  isAskedToPay: z.boolean(),
})
export type CollectionMember = z.output<typeof CollectionMember>

/** A team whose members all have this role. `isMine`: the caller is in it. */
export const CollectionTeam = z.object({
  teamId: z.number(),
  name: shown,
  role: z.enum(levels),
  memberCount: z.number(),
  isMine: z.boolean(),
})
export type CollectionTeam = z.output<typeof CollectionTeam>

/** A collection that its owner asks the caller to take over. `bytes`: what it would take of the caller's quota. */
export const TransferRequest = z.object({
  collectionId: z.number(),
  name: shown,
  bytes: z.number(),
  askedBy: shown,
})
export type TransferRequest = z.output<typeof TransferRequest>

export const members = {
  list: call({
    access: "user",
    level: "viewer",
    method: "GET",
    path: "/collections/{id}/members",
    summary: "The people and teams that a collection is shared with, and their roles.",
    input: fields({ id }),
    output: z.object({ people: z.array(CollectionMember), teams: z.array(CollectionTeam) }),
    done: "OK",
  }),
  add: call({
    access: "user",
    level: "maintainer",
    method: "POST",
    path: "/collections/{id}/members",
    summary: "Gives a user, by exact username or e-mail, a role. Only owners make owners.",
    input: fields({ id, who, role }),
    output: CollectionMember,
    done: "Member added successfully",
    status: 201,
  }),
  change: call({
    access: "user",
    level: "maintainer",
    method: "PUT",
    path: "/collections/{id}/members/{userId}",
    summary:
      "Changes a member's role. Only owners make owners or change one, and the last owner stays. An owner who changes the role of the one who pays, pays from then on.",
    input: fields({ id, userId: id, role }),
    output: CollectionMember,
    done: "Role changed successfully",
  }),
  remove: call({
    access: "user",
    level: "maintainer",
    method: "DELETE",
    path: "/collections/{id}/members/{userId}",
    summary:
      "Takes a member's role away. What teams give them stays. Only owners remove owners; the last one stays. An owner who removes the one who pays, pays from then on.",
    input: fields({ id, userId: id }),
    output: z.null(),
    done: "Member removed successfully",
  }),
  leave: call({
    access: "user",
    level: "viewer",
    // As for a team: a token that may only read cannot end its user's membership.
    token: "manage",
    method: "POST",
    path: "/collections/{id}/leave",
    summary: "Ends the caller's own role in a collection. The owner who pays cannot leave.",
    input: fields({ id }),
    output: z.null(),
    done: "You have left the collection",
  }),
  transfer: call({
    access: "user",
    level: "owner",
    method: "POST",
    path: "/collections/{id}/transfer",
    summary:
      "Asks a member to take the collection over: to become an owner, whose quota pays for it. Nothing changes until they accept; then the caller stays as a maintainer. Ends a request to another member.",
    input: fields({ id, userId: id }),
    output: z.null(),
    done: "Request sent. The collection stays yours until it is accepted",
  }),
  takeOver: call({
    access: "user",
    level: "viewer",
    token: "manage",
    method: "POST",
    path: "/collections/{id}/take-over",
    summary:
      "Accepts a request to take the collection over. An owner needs no request. From then on the caller's quota pays for what the collection stores.",
    input: fields({ id }),
    output: z.null(),
    done: "The collection counts for your account now",
  }),
  endTransfer: call({
    access: "user",
    level: "viewer",
    token: "manage",
    method: "DELETE",
    path: "/collections/{id}/transfer",
    summary:
      "Ends a request to take the collection over: refused by the member who was asked, or withdrawn by an owner.",
    input: fields({ id }),
    output: z.null(),
    done: "The request has ended",
  }),
  transferRequests: call({
    ...firstCalls.transferRequests,
    summary: "The first 10 collections that the caller is asked to take over.",
    input: fields({}),
    output: z.array(TransferRequest),
  }),
  shareWithTeam: call({
    access: "user",
    level: "maintainer",
    method: "POST",
    path: "/collections/{id}/teams",
    summary: "Gives a role to a team that the caller is in.",
    input: fields({ id, teamId: id, role }),
    output: CollectionTeam,
    done: "Team added successfully",
    status: 201,
  }),
  changeTeam: call({
    access: "user",
    level: "maintainer",
    method: "PUT",
    path: "/collections/{id}/teams/{teamId}",
    summary: "Changes the role of a team. Only owners give or change the role of an owner.",
    input: fields({ id, teamId: id, role }),
    output: CollectionTeam,
    done: "Role changed successfully",
  }),
  removeTeam: call({
    access: "user",
    level: "maintainer",
    method: "DELETE",
    path: "/collections/{id}/teams/{teamId}",
    summary: "Takes the role of a team away.",
    input: fields({ id, teamId: id }),
    output: z.null(),
    done: "Team removed successfully",
  }),
}
