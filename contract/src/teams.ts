import { z } from "zod"
import { call } from "./call.ts"
import { Person, who } from "./members.ts"
import { levels } from "./roles.ts"
import { fields, id, name, shown } from "./text.ts"

/** A team of the caller. `isAdmin`: the caller may change it. */
export const TeamSummary = z.object({
  id: z.number(),
  name: shown,
  isAdmin: z.boolean(),
  memberCount: z.number(),
  collectionCount: z.number(),
})
export type TeamSummary = z.output<typeof TeamSummary>

export const TeamMember = Person.extend({ isAdmin: z.boolean() })
export type TeamMember = z.output<typeof TeamMember>

export const Team = TeamSummary.extend({
  members: z.array(TeamMember),
  /** What the team reaches. */
  collections: z.array(z.object({ id: z.number(), name: shown, role: z.enum(levels) })),
})
export type Team = z.output<typeof Team>

const isAdmin = z.boolean({ error: "Admin must be true or false" })

export const teams = {
  list: call({
    access: "user",
    token: "names",
    method: "GET",
    path: "/teams",
    summary: "The caller's teams by name.",
    input: fields({}),
    output: z.array(TeamSummary),
    done: "OK",
  }),
  create: call({
    access: "user",
    token: "manage",
    method: "POST",
    path: "/teams",
    summary: "Creates a team with the caller as its admin.",
    input: fields({ name: name("Name is required") }),
    output: TeamSummary,
    done: "Team created successfully",
    status: 201,
  }),
  get: call({
    access: "user",
    team: "member",
    token: "names",
    method: "GET",
    path: "/teams/{id}",
    summary: "A team of the caller, its members and the collections that it reaches.",
    input: fields({ id }),
    output: Team,
    done: "OK",
  }),
  rename: call({
    access: "user",
    team: "admin",
    token: "manage",
    method: "PUT",
    path: "/teams/{id}",
    summary: "Renames a team.",
    input: fields({ id, name: name("Name is required") }),
    output: TeamSummary,
    done: "Team updated successfully",
  }),
  remove: call({
    access: "user",
    team: "admin",
    token: "manage",
    method: "DELETE",
    path: "/teams/{id}",
    summary: "Deletes a team. Its members lose what only the team gave them.",
    input: fields({ id }),
    output: z.null(),
    done: "Team deleted successfully",
  }),
  addMember: call({
    access: "user",
    team: "admin",
    token: "manage",
    method: "POST",
    path: "/teams/{id}/members",
    summary: "Adds a user, by exact username or e-mail.",
    input: fields({ id, who, isAdmin: isAdmin.default(false) }),
    output: TeamMember,
    done: "Member added successfully",
    status: 201,
  }),
  changeMember: call({
    access: "user",
    team: "admin",
    token: "manage",
    method: "PUT",
    path: "/teams/{id}/members/{userId}",
    summary: "Makes a member a team admin, or no longer one. The last admin stays.",
    input: fields({ id, userId: id, isAdmin }),
    output: TeamMember,
    done: "Member updated successfully",
  }),
  removeMember: call({
    access: "user",
    team: "admin",
    token: "manage",
    method: "DELETE",
    path: "/teams/{id}/members/{userId}",
    summary: "Removes a member. The last admin stays.",
    input: fields({ id, userId: id }),
    output: z.null(),
    done: "Member removed successfully",
  }),
  leave: call({
    access: "user",
    team: "member",
    token: "manage",
    method: "POST",
    path: "/teams/{id}/leave",
    summary: "Ends the caller's membership. The last admin cannot leave.",
    input: fields({ id }),
    output: z.null(),
    done: "You have left the team",
  }),
}
