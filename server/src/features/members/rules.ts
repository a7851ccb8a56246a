import {
  type CollectionMember,
  type InputOf,
  type Level,
  limits,
  type members,
  type OutputOf,
  sentences,
  strongest,
} from "@envkeep/contract"
import type { Member } from "../../access/caller.ts"
import { findPerson } from "../../access/find-person.ts"
import { outOfReach, refuseOutOfReach } from "../../access/out-of-reach.ts"
import { rolesOf } from "../../access/roles.ts"
import type { Core, Notes } from "../../core/core.ts"
import type { Tx } from "../../db/schema.ts"
import { conflict, invalid, notFound } from "../../errors.ts"
import { changeMembers, refuseOwnersUnlessOwner } from "./lock.ts"
import * as store from "./store.ts"
import { replacePayer, unlessCallerIsFull } from "./transfer/rules.ts"

export function listMembers(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof members.list>,
): Promise<OutputOf<typeof members.list>> {
  return core.snapshot(async (snapshot) => {
    const people = await store.memberRows(snapshot, caller, id)
    // There is always an owner.
    if (people.length === 0) throw await outOfReach(snapshot, caller, { collectionId: id })
    return { people, teams: await store.teamRows(snapshot, caller, id) }
  })
}

export async function addMember(
  core: Core,
  caller: Member,
  { id, who, role }: InputOf<typeof members.add>,
): Promise<CollectionMember> {
  // First: only those who may add someone are told whether there is such an account.
  await refuseOutOfReach(core.db, caller, id)
  const person = await findPerson(core, caller, who)
  const { userId } = person
  return changeMembers(core, caller, { action: "member.add", id }, async (tx, notes, collection) => {
    refuseOwnersUnlessOwner(collection, [role])
    if ((await store.findMember(tx, collection, userId)) !== undefined) throw conflict(sentences.alreadyMember)
    await addRow(tx, { collectionId: id, userId, role })
    notes.about({ collectionId: id, userId, role })
    notes.invalidate({ collectionId: id, forScreens: true })
    return { ...person, role, isPayer: false, isAskedToPay: false }
  })
}

async function addRow(tx: Tx, member: { collectionId: number; userId: number; role: Level }): Promise<void> {
  if (await store.hasMembers(tx, member, limits.membersPerCollection)) throw invalid(sentences.tooManyMembers)
  await store.insertMember(tx, member)
}

/**
 * For an invitation: gives a user a role, unless they have it or a stronger one, directly or by a team. Returns whether it
 * did. The invitation stands for the caller's reach.
 */
export async function joinCollection(
  tx: Tx,
  notes: Notes,
  { collectionId, userId, role }: { collectionId: number; userId: number; role: Level },
): Promise<boolean> {
  const collection = await store.lockInvited(tx, collectionId)
  if (collection === undefined) throw conflict(sentences.invitationPaused)
  const current = (await rolesOf(tx, { userId }, [collectionId])).get(collectionId)
  if (current !== undefined && strongest(current, role) === current) return false
  if ((await store.findMember(tx, collection, userId)) === undefined) await addRow(tx, { collectionId, userId, role })
  else await store.setRole(tx, collection, { userId, role })
  notes.invalidate({ collectionId, forScreens: true })
  return true
}

export function changeMember(
  core: Core,
  caller: Member,
  { id, userId, role }: InputOf<typeof members.change>,
): Promise<CollectionMember> {
  const change = { action: "member.change", id, mayMovePayer: true } as const
  return unlessCallerIsFull(() =>
    changeMembers(core, caller, change, async (tx, notes, collection) => {
      const member = await store.findMember(tx, collection, userId)
      if (member === undefined) throw notFound("Member")
      if (member.role === role) notes.nothingChanged()
      else {
        refuseOwnersUnlessOwner(collection, [member.role, role])
        if (member.isPayer) await replacePayer(tx, notes, { caller, collection })
        await store.setRole(tx, collection, { userId, role })
        notes.about({ collectionId: id, userId, role })
        notes.invalidate({ collectionId: id, forScreens: true })
      }
      const { isDisabled: _, ...person } = member
      return { ...person, role, isPayer: person.isPayer && role === "owner" }
    }),
  )
}

export function removeMember(
  core: Core,
  caller: Member,
  { id, userId }: InputOf<typeof members.remove>,
): Promise<null> {
  const change = { action: "member.remove", id, mayMovePayer: true } as const
  return unlessCallerIsFull(() =>
    changeMembers(core, caller, change, async (tx, notes, collection) => {
      const member = await store.findMember(tx, collection, userId)
      if (member === undefined) throw notFound("Member")
      refuseOwnersUnlessOwner(collection, [member.role])
      await remove(tx, notes, { caller, collection, member })
      return null
    }),
  )
}

export function leaveCollection(core: Core, caller: Member, { id }: InputOf<typeof members.leave>): Promise<null> {
  return changeMembers(core, caller, { action: "member.leave", id }, async (tx, notes, collection) => {
    const member = await store.findMember(tx, collection, caller.userId)
    if (member === undefined) throw conflict(sentences.roleFromTeam)
    await remove(tx, notes, { caller, collection, member })
    return null
  })
}

async function remove(
  tx: Tx,
  notes: Notes,
  { caller, collection, member }: { caller: Member; collection: store.SharedCollection; member: store.MemberRow },
): Promise<void> {
  const { userId } = member
  if (member.isPayer) await replacePayer(tx, notes, { caller, collection })
  await store.deleteMember(tx, collection, userId)
  notes.about({ collectionId: collection.id, userId })
  // The keys too: if the account that pays is disabled, they work only while others are in the collection.
  notes.invalidate({ collectionId: collection.id })
}
