import { type ClaimedTeam, type claimedTeams, type InputOf, type OutputOf, sentences } from "@envkeep/contract"
import type { UserCaller } from "../../../access/caller.ts"
import type { Core } from "../../../core/core.ts"
import { isDuplicate } from "../../../db/faults.ts"
import type { Tx } from "../../../db/schema.ts"
import { conflict, notFound } from "../../../errors.ts"
import * as store from "./store.ts"

export function listClaimedTeams(core: Core, hasClaim: boolean): Promise<OutputOf<typeof claimedTeams.list>> {
  return core.snapshot(async (snapshot) => {
    const teams: ClaimedTeam[] = []
    for (const team of await store.claimedTeams(snapshot)) {
      const [memberCount, admins] = [
        await store.countMembers(snapshot, team.id),
        await store.adminsOf(snapshot, team.id),
      ]
      teams.push({ ...team, memberCount, admins })
    }
    return { hasClaim, teams }
  })
}

export async function tie(
  core: Core,
  caller: UserCaller,
  { id, value }: InputOf<typeof claimedTeams.tie>,
): Promise<null> {
  try {
    return await core.change(caller, "team.tie", async (tx, notes) => {
      const team = await store.lockTeam(tx, id)
      if (team === undefined) throw notFound("Team")
      notes.about({ team: { id, name: team.name } })
      if (team.value === value) notes.nothingChanged()
      else await store.setClaimValue(tx, id, value)
      return null
    })
  } catch (error) {
    throw isDuplicate(error) ? conflict(sentences.claimValueTaken) : error
  }
}

export function untie(core: Core, caller: UserCaller, { id }: InputOf<typeof claimedTeams.untie>): Promise<null> {
  return core.change(caller, "team.untie", async (tx, notes) => {
    const team = await store.lockTeam(tx, id)
    if (team === undefined) throw notFound("Team")
    notes.about({ team: { id, name: team.name } })
    if (team.value === null) notes.nothingChanged()
    else await store.setClaimValue(tx, id, null)
    return null
  })
}

/** The teams that a claim with these values fills. */
export function teamsFilledBy(tx: Tx, values: readonly string[]): Promise<number[]> {
  return store.idsFilledBy(tx, values)
}
