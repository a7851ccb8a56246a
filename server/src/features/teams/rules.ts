import {
  type InputOf,
  limits,
  sentences,
  type Team,
  type TeamMember,
  type TeamSummary,
  type teams,
} from "@envkeep/contract"
import type { Action } from "../../access/actions.ts"
import type { TeamCaller, UserCaller } from "../../access/caller.ts"
import { findPerson } from "../../access/find-person.ts"
import { outOfTeam } from "../../access/out-of-reach.ts"
import { type Core, changeLocked, type Notes } from "../../core/core.ts"
import type { Tx } from "../../db/schema.ts"
import { AppError, conflict, invalid, notFound } from "../../errors.ts"
import * as store from "./store.ts"

export function listTeams(core: Core, caller: UserCaller): Promise<TeamSummary[]> {
  return core.snapshot((snapshot) => store.teamRows(snapshot, caller))
}

export function createTeam(
  core: Core,
  caller: UserCaller,
  { name }: InputOf<typeof teams.create>,
): Promise<TeamSummary> {
  return core.change(caller, "team.create", async (tx, notes) => {
    await refuseAnotherTeam(tx, caller)
    const { id } = await store.insertTeam(tx, name)
    await store.insertMember(tx, { teamId: id, userId: caller.userId, isAdmin: true })
    notes.about({ team: { id, name } })
    return { id, name, isAdmin: true, memberCount: 1, collectionCount: 0 }
  })
}

async function refuseAnotherTeam(tx: Tx, user: { userId: number }): Promise<void> {
  if (await store.hasTeams(tx, user, limits.teamsPerUser)) throw invalid(sentences.tooManyTeams)
}

export function getTeam(core: Core, caller: TeamCaller, { id }: InputOf<typeof teams.get>): Promise<Team> {
  return core.snapshot(async (snapshot) => {
    const team = await store.teamRow(snapshot, caller, id)
    if (team === undefined) throw notFound("Team")
    return {
      ...team,
      members: await store.memberRows(snapshot, caller, id),
      collections: await store.collectionRows(snapshot, caller, id),
    }
  })
}

export function renameTeam(
  core: Core,
  caller: TeamCaller,
  { id, name }: InputOf<typeof teams.rename>,
): Promise<TeamSummary> {
  return changeTeam(core, caller, { action: "team.rename", id }, async (tx, notes, team) => {
    notes.about({ team: { id, name } })
    if (team.name === name) notes.nothingChanged()
    else await store.renameTeam(tx, team, name)
    const renamed = await store.teamRow(tx, caller, id)
    if (renamed === undefined) throw notFound("Team")
    return renamed
  })
}

/** Others wait for a change that writes an event for each of a thousand collections. */
export const maxUnsharedAtOnce = 200

/** With its roles in collections, its members and its invitations. */
export async function deleteTeam(core: Core, caller: TeamCaller, { id }: InputOf<typeof teams.remove>): Promise<null> {
  while (await unshareSome(core, caller, id));
  return changeTeam(core, caller, { action: "team.delete", id }, async (tx, notes, team) => {
    noteUnshared(notes, team, await store.collectionIdsOf(tx, team))
    await store.deleteTeam(tx, team)
    notes.about({ team: { id, name: team.name } })
    return null
  })
}

/** Takes a team that is in many collections out of some of them. The last ones go with the team. */
function unshareSome(core: Core, caller: TeamCaller, id: number): Promise<boolean> {
  return changeTeam(core, caller, { action: "member.remove-team", id }, async (tx, notes, team) => {
    notes.nothingChanged()
    const some = (await store.collectionIdsOf(tx, team)).slice(maxUnsharedAtOnce, 2 * maxUnsharedAtOnce)
    if (some.length > 0) await store.unshare(tx, team, some)
    noteUnshared(notes, team, some)
    return some.length > 0
  })
}

function noteUnshared(notes: Notes, team: store.LockedTeam, collectionIds: readonly number[]): void {
  for (const collectionId of collectionIds) {
    notes.also("member.remove-team", { collectionId, team: { id: team.id, name: team.name } })
    // All screens of these collections are told, and if the account that pays is disabled, their keys may stop.
    notes.invalidate({ collectionId })
  }
}

export async function addMember(
  core: Core,
  caller: TeamCaller,
  { id, who, isAdmin }: InputOf<typeof teams.addMember>,
): Promise<TeamMember> {
  // First: only those who may add someone are told whether there is such an account.
  if ((await store.teamRow(core.db, caller, id)) === undefined) throw await outOfTeam(core.db, caller, id)
  const person = await findPerson(core, caller, who)
  const { userId } = person
  return changeTeam(core, caller, { action: "team.add-member", id }, async (tx, notes, team) => {
    if ((await store.findMember(tx, team, userId)) !== undefined) throw conflict(sentences.alreadyMember)
    await addRow(tx, notes, { teamId: id, userId, isAdmin })
    notes.about({ team: { id, name: team.name }, userId })
    return { ...person, isAdmin }
  })
}

async function addRow(
  tx: Tx,
  notes: Notes,
  member: { teamId: number; userId: number; isAdmin: boolean },
): Promise<void> {
  if (await store.hasMembers(tx, member, limits.membersPerTeam)) throw invalid(sentences.tooManyTeamMembers)
  await refuseAnotherTeam(tx, member)
  await store.insertMember(tx, member)
  notes.invalidate({ userId: member.userId })
}

/** For an invitation: returns whether the user was not in the team before. */
export async function joinTeam(
  tx: Tx,
  notes: Notes,
  { teamId, userId }: { teamId: number; userId: number },
): Promise<boolean> {
  const team = await store.lockInvited(tx, teamId)
  if (team === undefined) throw new AppError("gone", sentences.invitationRevoked)
  if ((await store.findMember(tx, team, userId)) !== undefined) return false
  await addRow(tx, notes, { teamId, userId, isAdmin: false })
  return true
}

/** For a claim: returns whether the user was not in the team before. A full team, or one too many, is left out. */
export async function joinFilledTeam(
  tx: Tx,
  notes: Notes,
  { teamId, userId }: { teamId: number; userId: number },
): Promise<boolean> {
  const team = await store.lockInvited(tx, teamId)
  if (team === undefined || (await store.findMember(tx, team, userId)) !== undefined) return false
  if (await store.hasMembers(tx, { teamId }, limits.membersPerTeam)) return false
  if (await store.hasTeams(tx, { userId }, limits.teamsPerUser)) return false
  await store.insertMember(tx, { teamId, userId, isAdmin: false })
  notes.invalidate({ userId })
  notes.also("team.add-member", { team, userId })
  return true
}

/** For a claim that no longer fills the team. A user who was made its admin stays. */
export async function leaveFilledTeam(
  tx: Tx,
  notes: Notes,
  { teamId, userId }: { teamId: number; userId: number },
): Promise<void> {
  const team = await store.lockInvited(tx, teamId)
  const member = team && (await store.findMember(tx, team, userId))
  if (team === undefined || member === undefined || member.isAdmin) return
  await store.deleteMember(tx, team, userId)
  notes.invalidate({ userId })
  notes.also("team.remove-member", { team, userId })
}

export function changeMember(
  core: Core,
  caller: TeamCaller,
  { id, userId, isAdmin }: InputOf<typeof teams.changeMember>,
): Promise<TeamMember> {
  return changeTeam(core, caller, { action: "team.change-member", id }, async (tx, notes, team) => {
    const member = await store.findMember(tx, team, userId)
    if (member === undefined) throw notFound("Member")
    if (member.isAdmin === isAdmin) notes.nothingChanged()
    else {
      if (!isAdmin) await refuseLastAdmin(tx, team, userId)
      await store.setAdmin(tx, team, { userId, isAdmin })
      notes.about({ team: { id, name: team.name }, userId })
    }
    return { ...member, isAdmin }
  })
}

export function removeMember(
  core: Core,
  caller: TeamCaller,
  { id, userId }: InputOf<typeof teams.removeMember>,
): Promise<null> {
  return changeTeam(core, caller, { action: "team.remove-member", id }, async (tx, notes, team) => {
    const member = await store.findMember(tx, team, userId)
    if (member === undefined) throw notFound("Member")
    await remove(tx, notes, { team, member })
    return null
  })
}

export function leaveTeam(core: Core, caller: TeamCaller, { id }: InputOf<typeof teams.leave>): Promise<null> {
  return changeTeam(core, caller, { action: "team.leave", id }, async (tx, notes, team) => {
    const member = await store.findMember(tx, team, caller.userId)
    if (member === undefined) throw notFound("Team")
    await remove(tx, notes, { team, member })
    return null
  })
}

async function remove(
  tx: Tx,
  notes: Notes,
  { team, member }: { team: store.LockedTeam; member: TeamMember },
): Promise<void> {
  const { userId } = member
  if (member.isAdmin) await refuseLastAdmin(tx, team, userId)
  await store.deleteMember(tx, team, userId)
  notes.about({ team: { id: team.id, name: team.name }, userId })
  notes.invalidate({ userId })
}

async function refuseLastAdmin(tx: Tx, team: store.LockedTeam, userId: number): Promise<void> {
  if (!(await store.hasOtherAdmin(tx, team, userId))) throw conflict(sentences.lastTeamAdmin)
}

function changeTeam<Result>(
  core: Core,
  caller: TeamCaller,
  { action, id }: { action: Action; id: number },
  work: (tx: Tx, notes: Notes, team: store.LockedTeam) => Promise<Result>,
): Promise<Result> {
  return changeLocked(core, caller, { action, subject: `team ${id}`, lock }, work)

  async function lock(tx: Tx): Promise<store.LockedTeam> {
    const team = await store.lockTeam(tx, caller, id)
    if (team === undefined) throw await outOfTeam(tx, caller, id)
    return team
  }
}
