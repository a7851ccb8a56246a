import {
  type Collection,
  type CollectionSummary,
  type collections,
  type InputOf,
  limits,
  sentences,
} from "@envkeep/contract"
import type { Member, UserCaller } from "../../access/caller.ts"
import type { Core } from "../../db/core.ts"
import type { Tx } from "../../db/schema.ts"
import { invalid, notFound } from "../../errors.ts"
import { holdBytesOf, summariesByCollection, wholeEnvironments } from "../environments/rules.ts"
import type { HoldBytes } from "../environments/scope.ts"
import * as store from "./store.ts"

export function listCollections(core: Core, caller: Member): Promise<CollectionSummary[]> {
  return core.snapshot(async (snapshot) => {
    const rows = await store.collectionRows(snapshot, caller)
    const environments = await summariesByCollection(
      snapshot,
      caller,
      rows.map((row) => row.id),
    )
    return rows.map((row) => withEnvironments(row, environments.get(row.id) ?? []))
  })
}

export async function getCollection(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof collections.get>,
  holdBytes: HoldBytes,
): Promise<Collection> {
  await holdBytesOf(core, caller, { collectionId: id }, holdBytes)
  return core.snapshot(async (snapshot) => {
    const row = await store.collectionRow(snapshot, caller, id)
    if (row === undefined) throw notFound("Collection")
    return withEnvironments(row, await wholeEnvironments(snapshot, core.vault, caller, { collectionId: id }))
  })
}

export function createCollection(
  core: Core,
  caller: UserCaller,
  input: InputOf<typeof collections.create>,
): Promise<CollectionSummary> {
  return core.change(caller, "collection.create", async (tx, notes) => {
    await refuseAnotherCollection(tx, caller)
    const row = await store.insertCollection(tx, caller, input)
    await store.setDataKey(tx, row, await core.vault.newDataKey(tx, row.id))
    notes.about({ collectionId: row.id })
    notes.grow(caller.userId, { rows: 1, sealedBytes: 0 })
    return withEnvironments(row, [])
  })
}

/** For a collection that is about to be added to the caller's. */
export async function refuseAnotherCollection(tx: Tx, caller: UserCaller): Promise<void> {
  if (await store.hasCollections(tx, caller, limits.collectionsPerAccount)) throw invalid(sentences.tooManyCollections)
}

export async function updateCollection(
  core: Core,
  caller: Member,
  input: InputOf<typeof collections.update>,
): Promise<CollectionSummary> {
  const row = await core.change(caller, "collection.update", async (tx, notes) => {
    const updated = await store.updateCollection(tx, caller, input)
    if (updated === undefined) throw notFound("Collection")
    notes.about({ collectionId: updated.id })
    notes.invalidate({ collectionId: updated.id, forScreens: true })
    return updated
  })
  // After the commit: other writers need not wait for this read.
  const environments = await core.snapshot((snapshot) => summariesByCollection(snapshot, caller, [row.id]))
  return withEnvironments(row, environments.get(row.id) ?? [])
}

/** Moves it to the trash, from where `features/trash` restores it or deletes it forever. Its API keys stop at once. */
export function deleteCollection(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof collections.remove>,
): Promise<null> {
  return core.change(caller, "collection.delete", async (tx, notes) => {
    const row = await store.trashCollection(tx, caller, id)
    if (row === undefined) throw notFound("Collection")
    notes.about({ collectionId: id, collectionName: row.name })
    notes.invalidate({ collectionId: id, ends: true })
    return null
  })
}

/** A collection changes with its environments. Their times are kept apart, so that their writers need not take turns. */
function withEnvironments<Environment extends { changedAt: number | null }>(
  row: store.CollectionRow,
  subCollections: Environment[],
) {
  const changedAt = Math.max(row.changedAt ?? 0, ...subCollections.map((environment) => environment.changedAt ?? 0))
  return { ...row, changedAt: changedAt === 0 ? null : new Date(changedAt).toISOString(), subCollections }
}
