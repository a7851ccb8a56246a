import { type CollectionTeam, type InputOf, limits, type members, sentences } from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import type { Core } from "../../core/core.ts"
import { conflict, invalid, notFound } from "../../errors.ts"
import { changeMembers, refuseOwnersUnlessOwner } from "./lock.ts"
import * as store from "./store.ts"

// The teams of a collection. A team is never its only owner: that is always a person.

/** Only a team that the caller is in: the names of others are not theirs to see. */
export function addTeam(
  core: Core,
  caller: Member,
  { id, teamId, role }: InputOf<typeof members.shareWithTeam>,
): Promise<CollectionTeam> {
  return changeMembers(core, caller, { action: "member.add-team", id }, async (tx, notes, collection) => {
    refuseOwnersUnlessOwner(collection, [role])
    const team = await store.ownTeam(tx, caller, teamId)
    if (team === undefined) throw notFound("Team")
    if ((await store.findTeam(tx, collection, teamId)) !== undefined) throw conflict(sentences.teamAlreadyAdded)
    if (await store.hasTeams(tx, collection, limits.teamsPerCollection)) {
      throw invalid(sentences.tooManyTeamsInCollection)
    }
    if (await store.hasCollections(tx, team, limits.collectionsPerTeam))
      throw invalid(sentences.tooManyCollectionsOfTeam)
    await store.insertTeam(tx, collection, { teamId, role })
    notes.about({ collectionId: id, team, role })
    notes.invalidate({ collectionId: id, forScreens: true })
    return store.shownTeam(tx, caller, collection, teamId)
  })
}

export function changeTeam(
  core: Core,
  caller: Member,
  { id, teamId, role }: InputOf<typeof members.changeTeam>,
): Promise<CollectionTeam> {
  return changeMembers(core, caller, { action: "member.change-team", id }, async (tx, notes, collection) => {
    const team = await store.findTeam(tx, collection, teamId)
    if (team === undefined) throw notFound("Team")
    if (team.role === role) notes.nothingChanged()
    else {
      refuseOwnersUnlessOwner(collection, [team.role, role])
      await store.setTeamRole(tx, collection, { teamId, role })
      notes.about({ collectionId: id, team: { id: teamId, name: team.name }, role })
      notes.invalidate({ collectionId: id, forScreens: true })
    }
    return store.shownTeam(tx, caller, collection, teamId)
  })
}

export function removeTeam(
  core: Core,
  caller: Member,
  { id, teamId }: InputOf<typeof members.removeTeam>,
): Promise<null> {
  return changeMembers(core, caller, { action: "member.remove-team", id }, async (tx, notes, collection) => {
    const team = await store.findTeam(tx, collection, teamId)
    if (team === undefined) throw notFound("Team")
    refuseOwnersUnlessOwner(collection, [team.role])
    await store.deleteTeam(tx, collection, teamId)
    notes.about({ collectionId: id, team: { id: teamId, name: team.name } })
    notes.invalidate({ collectionId: id })
    return null
  })
}
