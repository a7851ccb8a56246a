import { type EnvironmentSummary, limits, sentences } from "@envkeep/contract"
import { batches } from "../../../bounds/batches.ts"
import { withPauses } from "../../../bounds/turns.ts"
import type { Growth, Notes } from "../../../core/core.ts"
import { longNameBytes } from "../../../db/long-names.ts"
import type { Tx } from "../../../db/schema.ts"
import { invalid, notFound } from "../../../errors.ts"
import { sealBytes } from "../../../keys/seal.ts"
import { type DataKey, openSecret, sealSecret } from "../../../keys/secrets.ts"
import { type LockedEnvironment, raiseHeirs, sealingKey } from "../change-environment.ts"
import {
  addRemovals,
  addRevision,
  addVersions,
  type EnvironmentRow,
  lockCollection,
  raiseRevision,
  sealedBytesOfOtherEnvironments,
} from "../revision-store.ts"
import * as store from "./store.ts"

export interface ItemsChange {
  put: readonly PutItem[]
  remove: readonly store.StoredItem[]
  /** Counted from the rows, if the environment's own totals may be wrong. */
  storedTotals?: store.Totals
  /** The revision that is restored, or that is copied from. */
  source?: number
  /** The environment that is copied from. */
  sourceEnvironment?: { id: number; name: string }
}

export interface PutItem {
  name: string
  value: string
  /** The item that this one replaces. If it has another name, it is renamed and keeps its id. */
  stored?: store.StoredItem | undefined
  /** The id that it had at a revision, if it does not have it now. Lists go by id, so it stands where it stood. */
  returningId?: number | undefined
}

interface ItemsChanged {
  environment: EnvironmentSummary
  /** The id of the item, if exactly one was put. */
  id: number | undefined
}

/** To seal and write this much is a short piece of work on the thread. Longer statements are hardly faster. */
const rowsPerStatement = 250
const ofRows = { maxCount: rowsPerStatement }
const ofValues = { maxCount: rowsPerStatement, maxSize: 256 * 1024, sizeOf: ({ value }: PutItem) => value.length }

/**
 * The only way to change an environment's items: adding, editing, deleting, saving the whole list. The environment is
 * locked already. What is locked here comes in this order: what inherits from it, its items, its collection.
 */
export async function changeItems(
  tx: Tx,
  notes: Notes,
  environment: LockedEnvironment,
  change: ItemsChange,
): Promise<ItemsChanged> {
  const { put, remove } = change
  const { caller, collectionId, id: environmentId } = environment
  const totals = await totalsBefore(tx, environment, change)
  const growth = growthOf(environment, change, totals)
  if (put.length + remove.length > rowsPerStatement) await refuseEarlyGrowth(tx, notes, [{ environment, growth }])

  // Readers of what inherits from it notice by the revision alone, as its own readers do.
  await raiseHeirs(tx, notes, { caller, id: environmentId, revision: environment.revision + 1 })

  // Before others get their names and ids.
  await removeItems(tx, environment, remove)
  const id = await putItems(tx, environment, put)

  // Otherwise two writers of a collection could fill the same room.
  if (growth.sealedBytes > 0) await lockCollection(tx, caller, collectionId)
  await checkLimits(tx, [{ environment, growth }])

  const raised = await raiseRevision(tx, {
    id: environmentId,
    itemCount: environment.itemCount + growth.rows,
    sealedBytes: environment.sealedBytes + growth.sealedBytes,
    supersededBytes: growth.historyBytes,
  })
  if (raised === undefined) throw notFound("Environment")
  await addRevisionOf(tx, environment, change, raised)

  // The door records the event, counts what the owner stores, and drops what memory serves.
  const names = [...put, ...remove].map(({ name }) => name)
  const copiedFrom = change.sourceEnvironment === undefined ? {} : { source: change.sourceEnvironment }
  notes.about({ collectionId, environmentId, environmentName: environment.name, names, ...copiedFrom })
  notes.grow({ collectionId }, growth)
  notes.invalidate({ environmentId })
  return { environment: raised, id }
}

/** Writes the items and a version of each. Returns the id, if it is exactly one. */
async function putItems(tx: Tx, environment: LockedEnvironment, put: readonly PutItem[]): Promise<number | undefined> {
  let id: number | undefined
  // Of several, two may swap their names.
  const renamed = put.length === 1 ? [] : put.flatMap(({ name, stored }) => (isOther(stored, name) ? [stored] : []))
  for (const batch of batches(renamed, ofRows)) await store.freeNames(tx, environment, batch)
  const replaced = put.flatMap(({ stored, returningId }) => (returningId === undefined ? [] : (stored ?? [])))
  for await (const batch of withPauses(batches(replaced, ofRows))) await store.deleteItems(tx, environment, batch)

  for await (const batch of withPauses(batches(put, ofValues))) {
    const rows = batch.map(({ name, value }) => sealItem(environment, name, value))
    if (put.length === 1) id = await putOne(tx, environment, batch[0], rows[0])
    else await putMany(tx, environment, batch, rows)
    await addVersionsOf(tx, environment, batch)
  }

  // A name that another item has taken over has a version already.
  const putNames = new Set(put.map(({ name }) => name))
  const freed = put.flatMap(({ name, stored }) => (isOther(stored, name) && !putNames.has(stored.name) ? [stored] : []))
  for (const batch of batches(freed, ofRows)) await addRemovals(tx, environment, batch)
  return id
}

async function removeItems(tx: Tx, environment: LockedEnvironment, remove: readonly store.StoredItem[]): Promise<void> {
  for await (const batch of withPauses(batches(remove, ofRows))) {
    await store.deleteItems(tx, environment, batch)
    await addRemovals(tx, environment, batch)
  }
}

function addRevisionOf(
  tx: Tx,
  environment: LockedEnvironment,
  { put, remove, source, sourceEnvironment }: ItemsChange,
  { revision: number, baseId }: Pick<EnvironmentRow, "revision" | "baseId">,
): Promise<void> {
  const changed = put.filter(({ stored }) => stored !== undefined).length
  const counts = { added: put.length - changed, changed, removed: remove.length }
  return addRevision(
    tx,
    environment,
    { environmentId: environment.id, number, baseId },
    { ...counts, source, sourceEnvironment },
  )
}

async function addVersionsOf(tx: Tx, environment: LockedEnvironment, batch: readonly PutItem[]): Promise<void> {
  const underSameName: string[] = []
  for (const { name, stored } of batch) {
    if (isOther(stored, name)) await addVersions(tx, environment, [name], stored.name)
    else underSameName.push(name)
  }
  await addVersions(tx, environment, underSameName)
}

async function putOne(
  tx: Tx,
  environment: LockedEnvironment,
  item: PutItem | undefined,
  row: store.SealedItem | undefined,
): Promise<number | undefined> {
  if (item === undefined || row === undefined) return undefined
  const { stored, returningId } = item
  if (returningId !== undefined) {
    await store.returnItems(tx, environment, [{ ...row, id: returningId }])
    return returningId
  }
  if (stored === undefined) return (await store.insertItem(tx, environment, row)).id
  await store.updateItem(tx, environment, { id: stored.id, ...row })
  return stored.id
}

async function putMany(
  tx: Tx,
  environment: LockedEnvironment,
  batch: readonly PutItem[],
  rows: readonly store.SealedItem[],
): Promise<void> {
  const underSameName: store.SealedItem[] = []
  const returning: store.ReturningItem[] = []
  for (const [index, row] of rows.entries()) {
    const { stored, returningId } = batch[index] ?? {}
    if (returningId !== undefined) returning.push({ ...row, id: returningId })
    else if (isOther(stored, row.name)) await store.updateItem(tx, environment, { id: stored.id, ...row })
    else underSameName.push(row)
  }
  if (underSameName.length > 0) await store.putItems(tx, environment, underSameName)
  if (returning.length > 0) await store.returnItems(tx, environment, returning)
}

function isOther(stored: store.StoredItem | undefined, name: string): stored is store.StoredItem {
  return stored !== undefined && stored.name !== name
}

function sealItem(environment: LockedEnvironment, name: string, value: string): store.SealedItem {
  const sealedValue = sealSecret(sealingKey(environment), value, contextOf({ environmentId: environment.id, name }))
  return { name, sealedValue }
}

export function openValue(row: store.ItemRow, key: DataKey): string | null {
  return openSecret(key, row.sealedValue, contextOf(row))
}

function contextOf({ environmentId, name }: { environmentId: number; name: string }) {
  return { kind: "item", environmentId, name } as const
}

/**
 * For long changes of one collection's environments, before their first row is written: refuses what would be refused in
 * the end. Nothing is locked for it, so that other writers of the collection need not wait; the end decides.
 */
export async function refuseEarly(
  tx: Tx,
  notes: Notes,
  changes: readonly (readonly [environment: LockedEnvironment, change: ItemsChange])[],
): Promise<void> {
  const growing: Growing[] = []
  for await (const [environment, change] of withPauses(changes)) {
    const totals = await totalsBefore(tx, environment, change)
    growing.push({ environment, growth: growthOf(environment, change, totals) })
  }
  await refuseEarlyGrowth(tx, notes, growing)
}

async function refuseEarlyGrowth(tx: Tx, notes: Notes, growing: readonly Growing[]): Promise<void> {
  const [first] = growing
  if (first === undefined) return
  await checkLimits(tx, growing)
  const { collectionId } = first.environment
  await notes.willGrow(
    { collectionId },
    growing.map(({ growth }) => growth),
  )
}

/** What is stored before a change. An environment that an older version wrote last has not counted its long names. */
async function totalsBefore(
  tx: Tx,
  environment: LockedEnvironment,
  { storedTotals }: ItemsChange,
): Promise<store.Totals> {
  if (storedTotals !== undefined) return storedTotals
  return environment.countsNames === 1 ? environment : store.countTotals(tx, environment)
}

/** What a version takes of the quota once it is replaced or deleted. Each revision takes as much as its note. */
export function supersededVersionBytes(nameBytes: number, sealedBytes: number): number {
  return limits.versionBytes + limits.versionNames * nameBytes + sealedBytes
}

/** By how much a change makes the counts of an environment grow. */
function growthOf(
  environment: LockedEnvironment,
  { put, remove }: ItemsChange,
  storedTotals: store.Totals,
): Required<Growth> {
  const superseded = [...put.flatMap(({ stored }) => stored ?? []), ...remove]
  let sealedBytes = storedTotals.sealedBytes - environment.sealedBytes + sealedBytesOf(put)
  // What pruning gives back, see `history/retention`.
  let historyBytes = Buffer.byteLength(environment.note)
  for (const stored of superseded) {
    sealedBytes -= bytesOf(stored)
    historyBytes += supersededVersionBytes(Buffer.byteLength(stored.name), stored.sealedBytes)
  }
  const rows = storedTotals.itemCount - environment.itemCount + put.length - superseded.length
  return { rows, sealedBytes, historyBytes, lateBytes: Math.max(0, storedTotals.sealedBytes - environment.sealedBytes) }
}

/** What these items take when their values are sealed. */
export function sealedBytesOf(items: readonly { name: string; value: string }[]): number {
  return items.reduce((sum, { name, value }) => sum + longNameBytes(name) + Buffer.byteLength(value) + sealBytes, 0)
}

/** What a stored item takes of its environment's bytes. */
export function bytesOf({ name, sealedBytes }: store.StoredItem): number {
  return longNameBytes(name) + sealedBytes
}

/** Without what was there before. */
function addedBytes({ sealedBytes, lateBytes = 0 }: Growth): number {
  return sealedBytes - lateBytes
}

interface Growing {
  environment: LockedEnvironment
  growth: Growth
}

/** Only growth is refused: an environment can always shrink, even if it exceeds limits that were lowered since. */
async function checkLimits(tx: Tx, all: readonly Growing[]): Promise<void> {
  for (const { environment, growth } of all) {
    if (growth.rows > 0 && environment.itemCount + growth.rows > limits.itemsPerEnvironment) {
      throw invalid(sentences.environmentFull)
    }
    if (addedBytes(growth) > 0 && environment.sealedBytes + growth.sealedBytes > limits.environmentBytes) {
      throw invalid(sentences.environmentTooLarge)
    }
  }
  const moreBytes = all.reduce((sum, { growth }) => sum + growth.sealedBytes, 0)
  const [first] = all
  if (first === undefined || all.reduce((sum, { growth }) => sum + addedBytes(growth), 0) <= 0) return
  const { environment } = first
  const otherBytes = await sealedBytesOfOtherEnvironments(tx, environment.caller, environment)
  if (otherBytes + environment.sealedBytes + moreBytes > limits.collectionBytes) {
    throw invalid(sentences.collectionTooLarge)
  }
}
