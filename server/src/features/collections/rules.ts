import { type CollectionSummary, type collections, type InputOf, limits, sentences } from "@envkeep/contract"
import type { Member, UserCaller } from "../../access/caller.ts"
import { outOfReach } from "../../access/out-of-reach.ts"
import { rolesOf } from "../../access/roles.ts"
import { ListInSteps } from "../../bounds/list-in-steps.ts"
import type { Core, Notes } from "../../core/core.ts"
import type { Reader, Tx } from "../../db/schema.ts"
import { invalid } from "../../errors.ts"
import { allPages, pageWithEnvironments } from "../environments/pages.ts"
import { summariesByCollection } from "../environments/rules.ts"
import { withEnvironments } from "./read.ts"
import * as store from "./store.ts"

/** Few are of one moment. Many are loaded in steps, while the reader takes them. */
export async function listCollections(
  core: Core,
  caller: Member,
): Promise<CollectionSummary[] | ListInSteps<CollectionSummary>> {
  const loadAfter = (lastId: number) => core.snapshot((snapshot) => summariesAfter(snapshot, caller, lastId))
  const first = await loadAfter(0)
  if (first.isLast) return first.rows
  // What was loaded is loaded again: hundreds of requests may wait for their first step.
  return new ListInSteps(bytesPerPage, allPages(loadAfter))
}

/** More than a page takes in memory, with what its printing leaves behind: a caller has four such lists at a time. */
const bytesPerPage = limits.collectionBytes / 4

async function summariesAfter(snapshot: Reader, caller: Member, lastId: number) {
  const { rows, isLast } = await collectionsAfter(snapshot, caller, lastId)
  const roles = await rolesOf(
    snapshot,
    caller,
    rows.map((row) => row.id),
  )
  return { rows: rows.map((row) => withEnvironments(row, roles.get(row.id), row.subCollections)), isLast }
}

/** A page of the collections in reach by id, with summaries of their environments. */
export async function collectionsAfter(snapshot: Reader, caller: Member, lastId: number) {
  const { rows, isLast } = await pageWithEnvironments(snapshot, (count) =>
    store.collectionRowsAfter(snapshot, caller, { lastId, count }),
  )
  const environments = await summariesByCollection(
    snapshot,
    caller,
    rows.map((row) => row.id),
  )
  return { rows: rows.map((row) => ({ ...row, subCollections: environments.get(row.id) ?? [] })), isLast }
}

/** One of them, or undefined. */
export async function collectionWithSummaries(snapshot: Reader, caller: Member, id: number) {
  const row = await store.collectionRow(snapshot, caller, id)
  if (row === undefined) return undefined
  const environments = await summariesByCollection(snapshot, caller, [id])
  return { ...row, subCollections: environments.get(id) ?? [] }
}

export function createCollection(
  core: Core,
  caller: UserCaller,
  input: InputOf<typeof collections.create>,
): Promise<CollectionSummary> {
  return core.change(caller, "collection.create", async (tx, notes) => {
    const row = await addCollection(core, tx, notes, { caller, ...input })
    notes.about({ collectionId: row.id })
    return withEnvironments(row, "owner", [])
  })
}

interface NewCollection {
  /** Becomes its owner, and pays for it. */
  caller: UserCaller
  name: string
  description: string
}

/** An empty one, with a key of its own. */
export async function addCollection(
  core: Core,
  tx: Tx,
  notes: Notes,
  { caller, ...input }: NewCollection,
): Promise<store.CollectionRow> {
  await refuseAnotherCollection(tx, caller)
  // Only here: what is in the trash can always be restored, and what is not can always be deleted.
  if (await store.hasTrashedCollections(tx, caller, limits.trashedCollectionsPerAccount)) {
    throw invalid(sentences.tooManyTrashedCollections)
  }
  const row = await store.insertCollection(tx, caller, input)
  await store.insertOwner(tx, caller, row)
  await store.setDataKey(tx, row, await core.vault.newDataKey(tx, row.id))
  notes.grow({ userId: caller.userId }, { rows: 1, sealedBytes: 0 })
  return row
}

/** For a collection that is about to be added to those that a user pays for. */
export async function refuseAnotherCollection(tx: Tx, user: Pick<UserCaller, "userId">): Promise<void> {
  if (await store.hasCollections(tx, user, limits.collectionsPerAccount)) throw invalid(sentences.tooManyCollections)
}

export async function updateCollection(
  core: Core,
  caller: Member,
  input: InputOf<typeof collections.update>,
): Promise<CollectionSummary> {
  const row = await core.change(caller, "collection.update", async (tx, notes) => {
    const updated = await store.updateCollection(tx, caller, input)
    if (updated === undefined) throw await outOfReach(tx, caller, { collectionId: input.id })
    notes.about({ collectionId: updated.id })
    notes.invalidate({ collectionId: updated.id, forScreens: true })
    return updated
  })
  // After the commit: other writers need not wait for this read.
  return core.snapshot(async (snapshot) => {
    const environments = await summariesByCollection(snapshot, caller, [row.id])
    return withEnvironments(
      row,
      (await rolesOf(snapshot, caller, [row.id])).get(row.id),
      environments.get(row.id) ?? [],
    )
  })
}

/** Moves it to the trash, from where `features/trash` restores it or deletes it forever. Its API keys stop at once. */
export function deleteCollection(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof collections.remove>,
): Promise<null> {
  return core.change(caller, "collection.delete", async (tx, notes) => {
    const row = await store.trashCollection(tx, caller, id)
    if (row === undefined) throw await outOfReach(tx, caller, { collectionId: id })
    notes.about({ collectionId: id, collectionName: row.name })
    notes.invalidate({ collectionId: id, ends: true })
    return null
  })
}
