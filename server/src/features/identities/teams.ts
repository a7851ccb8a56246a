import { limits } from "@envkeep/contract"
import { theServer } from "../../access/caller.ts"
import type { Core } from "../../core/core.ts"
import { teamsFilledBy } from "../teams/claims/rules.ts"
import { joinFilledTeam, leaveFilledTeam } from "../teams/rules.ts"
import { teamValuesIn } from "./person.ts"
import type { Claims } from "./provider.ts"
import * as store from "./store.ts"

/**
 * Makes the user a member of the teams that the claim fills, and ends the memberships that earlier claims gave and this one
 * does not. Memberships that people gave are not touched.
 */
export async function followTeamClaim(
  core: Core,
  identity: store.IdentityRow,
  { claims, claim }: { claims: Claims; claim: string },
): Promise<void> {
  const { userId } = identity
  const values = teamValuesIn(claims, claim)
  // By the server: the person who signs in has no say in it.
  await core.change(theServer, "team.add-member", async (tx, notes) => {
    notes.nothingChanged() // `also` records an event for each team
    const wanted = (await teamsFilledBy(tx, values)).slice(0, limits.teamsPerClaim)
    const given = await store.givenTeamIds(tx, identity)
    for (const teamId of wanted) {
      if (await joinFilledTeam(tx, notes, { teamId, userId })) await store.insertGivenTeam(tx, identity.id, teamId)
    }
    for (const teamId of given.filter((id) => !wanted.includes(id))) {
      await leaveFilledTeam(tx, notes, { teamId, userId })
      await store.deleteGivenTeam(tx, identity.id, teamId)
    }
  })
}
