import { type InputOf, limits, type members, sentences, type TransferRequest } from "@envkeep/contract"
import * as attempts from "../../../access/attempts/rules.ts"
import type { Member, UserCaller } from "../../../access/caller.ts"
import { refuseOutOfReach } from "../../../access/out-of-reach.ts"
import { BoundError } from "../../../bounds/bound-error.ts"
import type { Core, Notes } from "../../../core/core.ts"
import type { Reader, Tx } from "../../../db/schema.ts"
import { AppError, conflict, invalid, notFound } from "../../../errors.ts"
import { refuseAnotherCollection } from "../../collections/rules.ts"
import { changeMembers } from "../lock.ts"
import * as memberStore from "../store.ts"
import * as store from "./store.ts"

// One owner pays for a collection. Otherwise anyone could fill the account of another, so only a user's own call makes them
// pay: they accept a request, take over as an owner, or take the role of the owner who pays.

const shownRequests = 10

export function listTransferRequests(core: Core, caller: UserCaller): Promise<TransferRequest[]> {
  return core.snapshot(async (snapshot) => {
    const requests: TransferRequest[] = []
    for (const request of await store.requestsTo(snapshot, caller, shownRequests)) {
      const contents = await store.contentsOf(snapshot, request.collectionId)
      requests.push({ ...request, bytes: bytesOf(contents) })
    }
    return requests
  })
}

function bytesOf({ rows, sealedBytes, historyBytes }: store.Contents): number {
  return rows * limits.rowBytes + sealedBytes + historyBytes
}

/** Nothing changes until the member accepts. */
export async function requestTransfer(
  core: Core,
  caller: Member,
  { id, userId }: InputOf<typeof members.transfer>,
): Promise<null> {
  // As for adding members: someone could ask thousands of people, who each get a mail.
  await attempts.countLookUp(core, caller.userId)
  return changeMembers(core, caller, { action: "collection.request-transfer", id }, async (tx, notes, collection) => {
    const member = await memberStore.findMember(tx, collection, userId)
    if (member === undefined) throw notFound("Member")
    if (userId === caller.userId) throw invalid(sentences.transferToYourself)
    if (member.isDisabled) throw invalid(sentences.memberDisabled)
    if (member.isPayer) throw conflict(sentences.paysAlready)

    const standing = await store.requestOf(tx, collection)
    if (standing?.userId === userId && standing.askedBy === caller.userId) {
      notes.nothingChanged()
      return null
    }
    await store.ask(tx, collection, { userId, askedBy: caller.userId })
    notes.about({ collectionId: id, userId })
    notes.invalidate({ collectionId: id, forScreens: true })
    return null
  })
}

/** By the member who was asked, or by an owner. */
export function endTransferRequest(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof members.endTransfer>,
): Promise<null> {
  return changeMembers(core, caller, { action: "collection.end-transfer", id }, async (tx, notes, collection) => {
    const request = await store.requestOf(tx, collection)
    if (!collection.isOwner && request?.userId !== caller.userId) {
      throw new AppError("forbidden", sentences.notAskedToPay)
    }
    if (request === undefined) {
      notes.nothingChanged()
      return null
    }
    await store.endRequest(tx, collection)
    notes.about({ collectionId: id, userId: request.userId })
    notes.invalidate({ collectionId: id, forScreens: true })
    return null
  })
}

/** The caller pays from then on. An owner who asked for that stays as a maintainer. */
export async function takeOver(core: Core, caller: Member, { id }: InputOf<typeof members.takeOver>): Promise<null> {
  // First without the lock: every writer waits for that, and any member can make this call.
  await refuseOutOfReach(core.db, caller, id)
  await refuseUnlessAsked(core.db, { collection: { id }, userId: caller.userId })

  const change = { action: "collection.take-over", id, mayMovePayer: true } as const
  return unlessCallerIsFull(() =>
    changeMembers(core, caller, change, async (tx, notes, collection) => {
      const { userId } = caller
      const { isPayer, askedBy } = await refuseUnlessAsked(tx, { collection, userId })
      notes.about({ collectionId: id, userId })
      if (isPayer) {
        notes.nothingChanged()
        return null
      }
      await memberStore.setRole(tx, collection, { userId, role: "owner" })
      if (askedBy !== undefined) await makeMaintainer(tx, collection, askedBy)
      await movePayer(tx, notes, { collection, toUserId: userId })
      notes.invalidate({ collectionId: id })
      return null
    }),
  )
}

/** Lets an owner pass, and a member who is asked by one. */
async function refuseUnlessAsked(
  db: Reader,
  { collection, userId }: { collection: { id: number }; userId: number },
): Promise<{ isPayer: boolean; askedBy: number | undefined }> {
  const member = await memberStore.findMember(db, collection, userId)
  const request = await store.requestOf(db, collection)
  const askedBy = request?.userId === userId ? request.askedBy : undefined
  if (member === undefined || (member.role !== "owner" && askedBy === undefined)) {
    throw new AppError("forbidden", sentences.notAskedToPay)
  }
  return { isPayer: member.isPayer, askedBy }
}

/** An owner by a team alone stays one: there is no role of their own to change. */
async function makeMaintainer(tx: Tx, collection: memberStore.SharedCollection, userId: number): Promise<void> {
  const member = await memberStore.findMember(tx, collection, userId)
  if (member?.role === "owner") await memberStore.setRole(tx, collection, { userId, role: "maintainer" })
}

/** For the owner who pays, if they stop being an owner: the owner who does that pays from then on. */
export async function replacePayer(
  tx: Tx,
  notes: Notes,
  { caller, collection }: { caller: Member; collection: memberStore.SharedCollection },
): Promise<void> {
  const self = await memberStore.findMember(tx, collection, caller.userId)
  // An owner by a team alone does not pay.
  const canPay = self?.role === "owner" && !self.isPayer
  if (!canPay) {
    const isAnother = await memberStore.hasOtherOwner(tx, collection)
    throw conflict(isAnother ? sentences.payerStays : sentences.lastOwner)
  }
  await movePayer(tx, notes, { collection, toUserId: caller.userId })
  notes.invalidate({ collectionId: collection.id })
}

async function movePayer(
  tx: Tx,
  notes: Notes,
  { collection, toUserId }: { collection: memberStore.SharedCollection; toUserId: number },
): Promise<void> {
  await refuseAnotherCollection(tx, { userId: toUserId })
  const moved = await store.contentsOf(tx, collection.id)
  await store.setPayer(tx, collection, toUserId)
  await store.endRequest(tx, collection)

  const growths = [
    { userId: collection.ownerId, growth: negative(moved) },
    { userId: toUserId, growth: moved },
  ]
  // By id: two that move collections to each other lock the accounts in the same order.
  for (const { userId, growth } of growths.sort((one, other) => one.userId - other.userId)) {
    notes.grow({ userId }, growth)
  }
}

function negative({ rows, sealedBytes, historyBytes }: store.Contents): store.Contents {
  return { rows: -rows, sealedBytes: -sealedBytes, historyBytes: -historyBytes }
}

export async function unlessCallerIsFull<Result>(change: () => Promise<Result>): Promise<Result> {
  try {
    return await change()
  } catch (error) {
    const isFull = error instanceof BoundError && error.bound === "quota"
    throw isFull ? new BoundError("quota", "invalid", sentences.noRoomForCollection) : error
  }
}
