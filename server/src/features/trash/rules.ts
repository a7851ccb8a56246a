import { harmless, type InputOf, type OutputOf, sentences, type trash } from "@envkeep/contract"
import { type Member, theServer, type UserCaller } from "../../access/caller.ts"
import { outOfReach } from "../../access/out-of-reach.ts"
import { type BadRows, createBadRows } from "../../bounds/bad-rows.ts"
import { byParents, inBatches } from "../../bounds/batches.ts"

import { type Core, type Door, oneChangePerUser } from "../../core/core.ts"
import { isDuplicate, isOutage } from "../../db/faults.ts"
import { dayMs } from "../../durations.ts"
import { invalid, notFound } from "../../errors.ts"
import { isoTime } from "../../iso-time.ts"
import { refuseAnotherCollection } from "../collections/rules.ts"
import { inTurn } from "../environments/change-environment.ts"
import { addRecoveredRevision, refuseAnotherEnvironment } from "../environments/create.ts"
import { lockBaseOf, usableBase } from "../environments/inheritance/rules.ts"
import { freeCollectionName, freeEnvironmentName } from "./names/rules.ts"
import * as store from "./store.ts"

/** How long what is in the trash is kept; undefined if the server never deletes it by itself. */
export type TrashDays = number | undefined

export async function listCollections(
  core: Core,
  caller: Member,
  days: TrashDays,
): Promise<OutputOf<typeof trash.listCollections>> {
  return core.snapshot(async (snapshot) => {
    const { rows, total } = await store.trashedCollections(snapshot, caller)
    const entries = rows.map((row) => ({ ...toEntry(row, days), environmentCount: row.environmentCount }))
    return { entries, total, keptDays: days ?? null }
  })
}

export async function listEnvironments(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof trash.listEnvironments>,
  days: TrashDays,
): Promise<OutputOf<typeof trash.listEnvironments>> {
  return core.snapshot(async (snapshot) => {
    if ((await store.collectionName(snapshot, caller, id)) === undefined) {
      throw await outOfReach(snapshot, caller, { collectionId: id })
    }
    const { rows, total } = await store.trashedEnvironments(snapshot, caller, id)
    return { entries: rows.map((row) => toEntry(row, days)), total, keptDays: days ?? null }
  })
}

function toEntry({ id, name, trashedAt, trashedBy, itemCount }: store.TrashedRow, days: TrashDays) {
  const deletedAt = trashedAt ?? 0
  return {
    id,
    name,
    deletedAt: isoTime(deletedAt),
    deletedBy: trashedBy,
    expiresAt: days === undefined ? null : isoTime(deletedAt + days * dayMs),
    itemCount: Number(itemCount),
  }
}

/**
 * Environments that were in the trash before their collection stay there. A user's restores wait for each other, so that of
 * two collections with the same name, the second sees the first.
 */
export function restoreCollection(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof trash.restoreCollection>,
): Promise<OutputOf<typeof trash.restoreCollection>> {
  return oneChangePerUser(caller, "restore of a collection", async () => {
    const oldName = await store.trashedCollectionName(core.db, caller, id)
    if (oldName === undefined) throw notFound("Collection")
    // Before the change: this goes through all collections of the caller, and other writers need not wait for it.
    const freeName = await freeCollectionName(core.db, caller, oldName)
    return core.change(caller, "collection.recover", async (tx, notes) => {
      const collection = await store.lockCollection(tx, caller, id)
      if (collection === undefined) throw notFound("Collection")
      await refuseAnotherCollection(tx, { userId: collection.ownerId })
      // It may have been restored, renamed and deleted again in between.
      const name = collection.name === oldName ? freeName : collection.name
      await store.restoreCollection(tx, collection, name)
      notes.about({ collectionId: id, collectionName: name })
      notes.invalidate({ collectionId: id })
      return { id, name }
    })
  })
}

export function restoreEnvironment(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof trash.restoreEnvironment>,
): Promise<OutputOf<typeof trash.restoreEnvironment>> {
  const action = "environment.recover" as const
  const restore = () =>
    core.change(caller, action, async (tx, notes) => {
      const base = await lockBaseOf(tx, caller, id)
      const environment = await store.lockEnvironment(tx, caller, id)
      if (environment === undefined) throw notFound("Environment")
      const { collectionId } = environment
      await refuseAnotherEnvironment(tx, caller, environment)
      const name = await freeEnvironmentName(tx, environment)
      const baseId = await usableBase(tx, caller, { environment, base })
      const hadBase = await store.hadBase(tx, environment)
      const revision = await store.restoreEnvironment(tx, environment, { name, baseId, hadBase })
      if (revision !== undefined) await addRecoveredRevision(tx, caller, { id, revision })
      notes.about({ collectionId, environmentId: id, environmentName: name })
      notes.invalidate({ environmentId: id })
      // Open screens do not know an environment that is in the trash.
      notes.invalidate({ collectionId, forScreens: true })
      return { id, name, collectionId, isBaseLost: hadBase && baseId === null }
    })
  return inTurn(caller, id, () => againIfTaken(restore))
}

const maxTries = 5

/** Another call may take the name between the look at it and the commit. */
async function againIfTaken<Result>(restore: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await restore()
    } catch (error) {
      if (!isDuplicate(error) || tries === maxTries) throw error
    }
  }
}

export async function purgeCollection(
  core: Core,
  caller: Member,
  { id, name }: InputOf<typeof trash.purgeCollection>,
): Promise<null> {
  await core.change(caller, "collection.purge", async (tx, notes) => {
    const collection = await store.lockCollection(tx, caller, id)
    if (collection === undefined) throw notFound("Collection")
    if (!isNamed(collection.name, name)) throw invalid(sentences.typedNameWrong)
    await store.markCollection(tx, collection)
    notes.about({ collectionId: id, collectionName: name })
  })
  await orByTheJob(() => deleteMarkedCollection(core, id))
  return null
}

export async function purgeEnvironment(
  core: Core,
  caller: Member,
  { id, name }: InputOf<typeof trash.purgeEnvironment>,
): Promise<null> {
  await core.change(caller, "environment.purge", async (tx, notes) => {
    const environment = await store.lockEnvironment(tx, caller, id)
    if (environment === undefined) throw notFound("Environment")
    if (!isNamed(environment.name, name)) throw invalid(sentences.typedNameWrong)
    await store.markEnvironment(tx, environment)
    notes.about({ collectionId: environment.collectionId, environmentId: id, environmentName: name })
  })
  await orByTheJob(() => deleteMarkedEnvironment(core, id))
  return null
}

/** The mark has already done what was asked for. If the database fails now, the caller is not told that nothing changed. */
async function orByTheJob(deleteRows: () => Promise<unknown>): Promise<void> {
  try {
    await deleteRows()
  } catch (error) {
    if (!isOutage(error)) throw error
  }
}

/** How many a call deletes before it is answered. No call finds the others any more, and the job deletes them. */
const maxPerCall = 100

/** There may be a hundred thousand in the trash. */
const markedPerStatement = 500

export async function emptyCollections(
  core: Core,
  caller: Member,
  { name }: InputOf<typeof trash.emptyCollections>,
): Promise<null> {
  const ids = await core.change(caller, "trash.empty", async (tx, notes) => {
    if (!isNamed(await store.usernameOf(tx, caller), name)) throw invalid(sentences.typedNameWrong)
    notes.about({ userId: caller.userId })
    return markAll((count) => store.markSomeCollections(tx, caller, count))
  })
  await orByTheJob(async () => {
    for (const id of ids.slice(0, maxPerCall)) await deleteMarkedCollection(core, id)
  })
  return null
}

/** Until there are none: a batch of PostgreSQL is smaller if a row was restored in this moment. */
function markAll(markSome: (count: number) => Promise<number[]>): Promise<number[]> {
  return inBatches(1, () => markSome(markedPerStatement))
}

/** For the owner's account, which is about to be deleted: small pieces of work instead of one long one. */
export async function purgeCollections(core: Core, caller: UserCaller, ids: readonly number[]): Promise<void> {
  const marked = await core.change(caller, "trash.empty", async (tx, notes) => {
    notes.about({ userId: caller.userId })
    return byParents(ids, markedPerStatement, (some) => store.markCollections(tx, some))
  })
  await orByTheJob(async () => {
    for (const id of marked) await deleteMarkedCollection(core, id)
  })
}

/** The name is typed as it is shown. */
function isNamed(stored: string | undefined, typed: string): boolean {
  return stored !== undefined && (stored === typed || harmless(stored) === typed)
}

export async function emptyEnvironments(
  core: Core,
  caller: Member,
  { id: collectionId, name }: InputOf<typeof trash.emptyEnvironments>,
): Promise<null> {
  const ids = await core.change(caller, "trash.empty", async (tx, notes) => {
    const collection = await store.collectionName(tx, caller, collectionId)
    if (collection === undefined) throw await outOfReach(tx, caller, { collectionId })
    if (!isNamed(collection, name)) throw invalid(sentences.typedNameWrong)
    notes.about({ collectionId })
    return markAll((count) => store.markSomeEnvironments(tx, caller, { collectionId, count }))
  })
  await orByTheJob(async () => {
    for (const id of ids.slice(0, maxPerCall)) await deleteMarkedEnvironment(core, id)
  })
  return null
}

export interface PurgedCounts {
  collections: number
  environments: number
}

/**
 * Deletes forever some of what has been in the trash for so many days, and of what is left from earlier deletions. Ends after
 * a batch once the signal is aborted. What cannot be deleted stays, and nothing waits for it.
 */
export async function purgeExpiredTrash(
  core: Core,
  days: TrashDays,
  signal?: AbortSignal,
  badRows: BadRows = createBadRows(),
): Promise<PurgedCounts> {
  const before = days === undefined ? 0 : Date.now() - days * dayMs
  return {
    collections: await purgeExpired(core, "collection", { before, signal, badRows }),
    environments: await purgeExpired(core, "environment", { before, signal, badRows }),
  }
}

const deleteMarked = { collection: deleteMarkedCollection, environment: deleteMarkedEnvironment }

async function purgeExpired(
  core: Core,
  kind: store.Kind,
  { before, signal, badRows }: { before: number; signal: AbortSignal | undefined; badRows: BadRows },
): Promise<number> {
  let deleted = 0
  for (const { id, isMarked } of await store.expired(core.db, kind, { before, except: badRows.keysIn(kind) })) {
    if (signal?.aborted) break
    const isDeleted = await badRows.attempt(kind, id, async () => {
      if (!isMarked && !(await markExpired(core, kind, { id, before }))) return false
      return deleteMarked[kind](core, id, signal)
    })
    if (isDeleted) deleted++
  }
  return deleted
}

/** False if it was restored in the meantime. */
function markExpired(core: Core, kind: store.Kind, expired: { id: number; before: number }): Promise<boolean> {
  return core.change(theServer, `${kind}.purge`, async (tx, notes) => {
    const isMarked = await store.markExpired(tx, kind, expired)
    if (isMarked) notes.about(kind === "collection" ? { collectionId: expired.id } : { environmentId: expired.id })
    else notes.nothingChanged()
    return isMarked
  })
}

/** False if another process has deleted it, or the signal is aborted. The event was recorded when it was marked. */
async function deleteMarkedEnvironment(door: Door, id: number, signal?: AbortSignal): Promise<boolean> {
  await door.bookkeep((tx) => store.deleteContents(tx, "environment", id, signal))
  // The row itself would take with it all that is left.
  if (signal?.aborted) return false
  return door.change(theServer, "environment.purge", async (tx, notes) => {
    notes.nothingChanged()
    const deleted = await store.deleteEnvironment(tx, id)
    if (deleted === undefined) return false
    const { collectionId, itemCount, apiKeyCount, sealedBytes } = deleted
    notes.grow({ collectionId }, { rows: -1 - itemCount - apiKeyCount, sealedBytes: -sealedBytes })
    return true
  })
}

/** The same for a collection. An environment that cannot be deleted keeps the collection, but not its other environments. */
export async function deleteMarkedCollection(door: Door, id: number, signal?: AbortSignal): Promise<boolean> {
  const failures: unknown[] = []
  for (const environmentId of await store.environmentIdsOf(door.db, id)) {
    await deleteMarkedEnvironment(door, environmentId, signal).catch((error: unknown) => {
      if (isOutage(error)) throw error
      failures.push(error)
    })
    if (signal?.aborted) return false
  }
  if (failures.length > 0) throw failures[0]
  await door.bookkeep((tx) => store.deleteContents(tx, "collection", id))
  return door.change(theServer, "collection.purge", async (tx, notes) => {
    notes.nothingChanged()
    const deleted = await store.deleteEmptyCollection(tx, id)
    if (deleted === undefined) return false
    const { ownerId: userId, describedCount, describedBytes } = deleted
    notes.grow({ userId }, { rows: -1 - describedCount, sealedBytes: -describedBytes })
    return true
  })
}
