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
import { outOfReach } from "../../access/out-of-reach.ts"
import { rolesOf } from "../../access/roles.ts"
import { BoundError } from "../../bounds/bound-error.ts"
import type { Core, Growth, Notes } from "../../db/core.ts"
import type { Tx } from "../../db/schema.ts"
import { conflict, invalid, notFound } from "../../errors.ts"
import { refuseAnotherCollection } from "../collections/rules.ts"
import { changeMembers, refuseOwnersUnlessOwner } from "./lock.ts"
import * as store from "./store.ts"

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
  if (!(await store.isInReach(core.db, caller, id))) throw await outOfReach(core.db, caller, { collectionId: id })
  const person = await findPerson(core, caller, who)
  const { userId } = person
  return changeMembers(core, caller, { action: "member.add", id }, async (tx, notes, collection) => {
    refuseOwnersUnlessOwner(collection, [role])
    if ((await store.findMember(tx, collection, userId)) !== undefined) throw conflict(sentences.alreadyMember)
    await addRow(tx, { collectionId: id, userId, role })
    notes.about({ collectionId: id, userId, role })
    notes.invalidate({ collectionId: id, forScreens: true })
    return { ...person, role, isPayer: false }
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
  return unlessPayerIsFull(() =>
    changeMembers(core, caller, change, async (tx, notes, collection) => {
      const member = await store.findMember(tx, collection, userId)
      if (member === undefined) throw notFound("Member")
      if (member.role === role) notes.nothingChanged()
      else {
        refuseOwnersUnlessOwner(collection, [member.role, role])
        if (member.role === "owner") await replaceOwner(tx, notes, { collection, userId })
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
  return unlessPayerIsFull(() =>
    changeMembers(core, caller, change, async (tx, notes, collection) => {
      const member = await store.findMember(tx, collection, userId)
      if (member === undefined) throw notFound("Member")
      refuseOwnersUnlessOwner(collection, [member.role])
      await remove(tx, notes, { collection, member })
      return null
    }),
  )
}

export function leaveCollection(core: Core, caller: Member, { id }: InputOf<typeof members.leave>): Promise<null> {
  const change = { action: "member.leave", id, mayMovePayer: true } as const
  return unlessPayerIsFull(() =>
    changeMembers(core, caller, change, async (tx, notes, collection) => {
      const member = await store.findMember(tx, collection, caller.userId)
      if (member === undefined) throw conflict(sentences.roleFromTeam)
      await remove(tx, notes, { collection, member })
      return null
    }),
  )
}

async function remove(
  tx: Tx,
  notes: Notes,
  { collection, member }: { collection: store.SharedCollection; member: store.MemberRow },
): Promise<void> {
  const { userId } = member
  if (member.role === "owner") await replaceOwner(tx, notes, { collection, userId })
  await store.deleteMember(tx, collection, userId)
  notes.about({ collectionId: collection.id, userId })
  // The keys too: if the account that pays is disabled, they work only while others are in the collection.
  notes.invalidate({ collectionId: collection.id })
}

/** Makes the caller's collection another member's, who pays from then on. The caller stays as a maintainer. */
export function transferCollection(
  core: Core,
  caller: Member,
  { id, userId }: InputOf<typeof members.transfer>,
): Promise<null> {
  const change = { action: "collection.transfer", id, mayMovePayer: true } as const
  return unlessPayerIsFull(() =>
    changeMembers(core, caller, change, async (tx, notes, collection) => {
      const member = await store.findMember(tx, collection, userId)
      if (member === undefined) throw notFound("Member")
      if (member.isDisabled) throw invalid(sentences.memberDisabled)
      notes.about({ collectionId: id, userId })
      await store.setRole(tx, collection, { userId, role: "owner" })
      if (!member.isPayer) await movePayer(tx, notes, { collection, toUserId: userId })
      if (userId !== caller.userId) await store.setRole(tx, collection, { userId: caller.userId, role: "maintainer" })
      else if (member.isPayer) notes.nothingChanged()
      notes.invalidate({ collectionId: id })
      return null
    }),
  )
}

/** For an owner who stops being one. There is always another, and one of them pays. */
async function replaceOwner(
  tx: Tx,
  notes: Notes,
  { collection, userId }: { collection: store.SharedCollection; userId: number },
): Promise<void> {
  const next = await store.otherOwner(tx, collection, userId)
  if (next === undefined) throw conflict(sentences.lastOwner)
  if (collection.ownerId !== userId) return
  await movePayer(tx, notes, { collection, toUserId: next.userId })
  notes.invalidate({ collectionId: collection.id })
}

async function movePayer(
  tx: Tx,
  notes: Notes,
  { collection, toUserId }: { collection: store.SharedCollection; toUserId: number },
): Promise<void> {
  await refuseAnotherCollection(tx, { userId: toUserId })
  const moved = await store.contentsOf(tx, [collection.id])
  await store.setPayer(tx, collection, toUserId)
  noteGrowths(notes, [
    { userId: collection.ownerId, growth: negative(moved) },
    { userId: toUserId, growth: moved },
  ])
}

/**
 * For an account that goes: others pay for what it has handed over to them, whether their quota has room for it or not. No
 * write to these collections is counted in between.
 */
export async function countToNextPayers(
  tx: Tx,
  notes: Notes,
  { userId, handedOver }: { userId: number; handedOver: readonly { id: number; ownerId: number }[] },
): Promise<void> {
  const growths: PayerGrowth[] = []
  for (const [ownerId, some] of Map.groupBy(handedOver, (one) => one.ownerId)) {
    const ids = some.map(({ id }) => id)
    const growth = await store.contentsOf(tx, ids)
    const lateBytes = growth.rows * limits.rowBytes + growth.sealedBytes + growth.historyBytes
    growths.push({ userId: ownerId, growth: { ...growth, lateBytes } }, { userId, growth: negative(growth) })
  }
  noteGrowths(notes, growths)
}

interface PayerGrowth {
  userId: number
  growth: Growth
}

/** By id: two that move collections to each other lock the accounts in the same order. */
function noteGrowths(notes: Notes, growths: PayerGrowth[]): void {
  for (const { userId, growth } of growths.sort((one, other) => one.userId - other.userId)) {
    notes.grow({ userId }, growth)
  }
}

function negative({ rows, sealedBytes, historyBytes }: store.Contents): Growth {
  return { rows: -rows, sealedBytes: -sealedBytes, historyBytes: -historyBytes }
}

async function unlessPayerIsFull<Result>(change: () => Promise<Result>): Promise<Result> {
  try {
    return await change()
  } catch (error) {
    const isFull = error instanceof BoundError && error.bound === "quota"
    throw isFull ? new BoundError("quota", "invalid", sentences.newOwnersQuotaExceeded) : error
  }
}
