import { z } from "zod"
import { call } from "./call.ts"
import { limits } from "./limits.ts"
import { Person } from "./members.ts"
import { fields, id, shown, text } from "./text.ts"

// A claim of a sign-in provider makes people members of teams. Anyone can make a team and give it any name, so only an
// administrator of the server says which value of the claim fills which team.

/** A team that a claim fills. */
export const ClaimedTeam = z.object({
  id: z.number(),
  name: shown,
  /** Anyone who signs in with this value in the claim becomes a member. */
  value: z.string(),
  memberCount: z.number(),
  /** Who can change the team. */
  admins: z.array(Person),
})
export type ClaimedTeam = z.output<typeof ClaimedTeam>

export const claimedTeams = {
  list: call({
    access: "admin",
    token: "manage",
    method: "GET",
    path: "/admin/claimed-teams",
    summary: "The teams that a claim of a sign-in provider fills, by value, and whether a provider has such a claim.",
    input: fields({}),
    output: z.object({ hasClaim: z.boolean(), teams: z.array(ClaimedTeam) }),
    done: "OK",
  }),
  tie: call({
    access: "admin",
    token: "manage",
    method: "PUT",
    path: "/admin/claimed-teams/{id}",
    summary: "Says which value of a claim fills a team, from the next sign-ins on. One value fills one team.",
    input: fields({ id, value: text({ label: "Value", max: limits.claimValue, required: "Value is required" }) }),
    output: z.null(),
    done: "The claim fills the team from now on",
  }),
  untie: call({
    access: "admin",
    token: "manage",
    method: "DELETE",
    path: "/admin/claimed-teams/{id}",
    summary:
      "A claim no longer fills the team. The memberships that it gave end when their users sign in with the provider next.",
    input: fields({ id }),
    output: z.null(),
    done: "The claim no longer fills the team",
  }),
}
