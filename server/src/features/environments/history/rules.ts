import {
  type EnvironmentSummary,
  type history,
  type InputOf,
  type ListedRevision,
  type NameChange,
  type OutputOf,
  type Revision,
  sentences,
} from "@envkeep/contract"
import type { Member } from "../../../access/caller.ts"
import { outOfReach } from "../../../access/out-of-reach.ts"
import { sortedNames } from "../../../bounds/sorted-names.ts"
import { eachWithPauses, mapWithPauses } from "../../../bounds/turns.ts"
import type { Core } from "../../../core/core.ts"
import type { Reader } from "../../../db/schema.ts"
import { AppError, conflict, notFound } from "../../../errors.ts"
import { isoTime } from "../../../iso-time.ts"
import { sealedLength } from "../../../keys/seal.ts"
import { changeEnvironment, type LockedEnvironment } from "../change-environment.ts"
import { refuseIfNameChanged } from "../conflicts/rules.ts"
import { idsOf, oneBulkSavePerUser, refuseIfChangedSince, replaceItems, restoreNamed } from "../items/rules.ts"
import {
  effectiveByName,
  findPastState,
  isRemoved,
  keptRevision,
  namesChanged,
  type PastState,
  pastState,
  stateAt,
  stateOfNames,
} from "./past.ts"
import { isDifferent, opener, pastValue, type ReadingKey, restorable, withName } from "./past-values.ts"
import * as store from "./store.ts"

const perPage = 50
export const versionsPerPage = perPage
const newest = Number.MAX_SAFE_INTEGER

export async function listRevisions(
  { db }: Core,
  caller: Member,
  { id, before = newest }: InputOf<typeof history.list>,
): Promise<OutputOf<typeof history.list>> {
  const environment = await store.historyOf(db, caller, id)
  if (environment === undefined) throw notFound("Environment")
  const rows = await store.revisionRows(db, environment, { before, count: perPage + 1 })
  const shown = rows.slice(0, perPage)
  const named = await namesOf(db, environment, shown)
  const revisions = shown.map((row) => ({ ...toRevision(row), names: named.get(row.number) ?? [] }))
  return { revisions, isWhole: rows.length <= perPage }
}

/** A page of revisions with thousands of names each would be slow to read. */
const maxNamesListed = 3

async function namesOf(
  db: Reader,
  environment: store.Reached,
  rows: readonly store.RevisionRow[],
): Promise<Map<number, ListedRevision["names"]>> {
  const small = rows.filter(({ added, changed, removed }) => added + changed + removed <= maxNamesListed)
  const versions = await store.namesWrittenBy(
    db,
    environment,
    small.map(({ number }) => number),
  )
  const byRevision = Map.groupBy(versions, ({ revision }) => revision)
  return new Map(Array.from(byRevision, ([number, written]) => [number, withoutFreed(written)]))
}

type WrittenName = Awaited<ReturnType<typeof store.namesWrittenBy>>[number]

/** A renamed item is there once, under its new name. Its old name is there too if the same revision gave it another value. */
function withoutFreed(written: readonly WrittenName[]): ListedRevision["names"] {
  const freed = new Set(written.map(({ previousName }) => previousName))
  const isOnlyFreed = ({ name, isRemoved }: WrittenName) => Boolean(isRemoved) && freed.has(name)
  return written.filter((one) => !isOnlyFreed(one)).map(({ name, previousName }) => ({ name, previousName }))
}

export function getRevision(
  core: Core,
  caller: Member,
  { id, revision }: InputOf<typeof history.get>,
): Promise<OutputOf<typeof history.get>> {
  return inHistory(core, caller, id, async (snapshot, environment, key) => {
    const { row, layers, isInheritedPruned } = await pastState(snapshot, environment, revision)
    const open = opener(environment, layers, key)
    const found = await effectiveByName(snapshot, layers)
    const items = await mapWithPauses(found, ([name, version]) => withName(name, open(version)))
    return { revision: toRevision(row), items, isInheritedPruned }
  })
}

export function getChanges(
  core: Core,
  caller: Member,
  { id, revision, since }: InputOf<typeof history.changes>,
): Promise<OutputOf<typeof history.changes>> {
  const { earlier, later } = comparedRevisions({ revision, since })
  return inHistory(core, caller, id, async (snapshot, environment, key) => {
    const laterState = await pastState(snapshot, environment, later)
    // What was before the first revision that is kept can still be told, unless it was asked for by its number.
    const earlierState = await (since === undefined ? findPastState : pastState)(snapshot, environment, earlier)
    const both = { earlier: earlierState, later: laterState }
    // What is no longer kept would look as if it had been added or removed.
    const isInheritedPruned = isPruned(both)
    const isOwnOnly = isInheritedPruned || !hasInherited(both)
    const compared = await (isOwnOnly
      ? ownVersions(snapshot, environment, { earlier, later })
      : effectiveVersions(snapshot, both))
    const open = opener(environment, [...(earlierState?.layers ?? []), ...laterState.layers], key)
    const changes: NameChange[] = []
    await eachWithPauses(compared.names, (name) => {
      const version = compared.after.get(name)
      const values = { before: open(compared.before.get(name)), after: open(version) }
      const previousName = version?.previousName ?? null
      const previous = previousName === null ? undefined : compared.before.get(previousName)
      const wasThere = previous !== undefined && !isRemoved(previous)
      if (isDifferent(values)) changes.push({ name, previousName: wasThere ? previousName : null, ...values })
    })
    return { changes, isInheritedPruned }
  })
}

export function comparedRevisions({
  revision,
  since = revision - 1,
}: {
  revision: number
  since?: number | undefined
}) {
  return { earlier: Math.min(since, revision), later: Math.max(since, revision) }
}

interface TwoStates {
  /** Undefined if it is no longer kept, or if the later one is the first. */
  earlier: PastState | undefined
  later: PastState
}

function hasInherited({ earlier, later }: TwoStates): boolean {
  return later.layers.length > 1 || (earlier !== undefined && earlier.layers.length > 1)
}

function isPruned({ earlier, later }: TwoStates): boolean {
  if (earlier === undefined) {
    const { action, baseId } = later.row
    return action === "environment.rebase" || (baseId !== null && action !== "environment.create")
  }
  return earlier.isInheritedPruned || later.isInheritedPruned
}

/** Versions of some names at two revisions. */
interface ComparedVersions {
  names: readonly string[]
  before: ReadonlyMap<string, store.VersionRow>
  after: ReadonlyMap<string, store.VersionRow>
}

/** Of the names that were written between two revisions. */
async function ownVersions(
  db: Reader,
  environment: store.Reached,
  { earlier, later }: { earlier: number; later: number },
): Promise<ComparedVersions> {
  const names = await namesChanged(db, environment, { after: earlier, upTo: later })
  const before = await byName(await stateOfNames(db, environment, { revision: earlier, names }))
  return { names, before, after: await byName(await stateOfNames(db, environment, { revision: later, names })) }
}

/** Of all names that readers got at either of them. */
async function effectiveVersions(db: Reader, { earlier, later }: TwoStates): Promise<ComparedVersions> {
  const before = await effectiveByName(db, earlier?.layers ?? [])
  const after = await effectiveByName(db, later.layers)
  const names = sortedNames()
  for (const versions of [before, after]) await names.add([...versions.keys()])
  return { names: await names.all(), before, after }
}

async function byName(versions: readonly store.VersionRow[]): Promise<Map<string, store.VersionRow>> {
  return new Map(await mapWithPauses(versions, (version) => [version.name, version] as const))
}

export function getItemHistory(
  core: Core,
  caller: Member,
  { id, name, before = newest }: InputOf<typeof history.ofItem>,
): Promise<OutputOf<typeof history.ofItem>> {
  return inHistory(core, caller, id, async (snapshot, environment, key) => {
    const rows = await store.versionRows(snapshot, environment, { name, before, count: perPage + 1 })
    const versions = rows.slice(0, perPage).map((row) => {
      const { state, value, erasedAt, erasedBy } = pastValue(row, key)
      return { state, value, erasedAt, erasedBy, ...writtenBy(row) }
    })
    return { versions, isWhole: rows.length <= perPage }
  })
}

/** The same without values, also for those who may see them: for readers that should never get one. */
export function getNameHistory(
  core: Core,
  caller: Member,
  { id, name, before = newest }: InputOf<typeof history.ofName>,
): Promise<OutputOf<typeof history.ofName>> {
  return inHistory(core, caller, id, async (snapshot, environment) => {
    const rows = await store.versionRows(snapshot, environment, { name, before, count: perPage + 1 })
    const changes = rows.slice(0, perPage).map((row) => ({ ...writtenBy(row), isRemoved: isRemoved(row) }))
    return { changes, isWhole: rows.length <= perPage }
  })
}

function writtenBy(row: store.WrittenVersion) {
  const { revision, previousName, action, note } = row
  return { revision, previousName, at: isoTime(row.createdAt), by: actorOf(row), action, note }
}

export async function restoreEnvironment(
  core: Core,
  caller: Member,
  { id, revision, current, note }: InputOf<typeof history.restore>,
): Promise<EnvironmentSummary> {
  const change = { action: "environment.restore", environmentId: id, note } as const
  return oneBulkSavePerUser(caller, () =>
    changeEnvironment(core, caller, change, async (tx, notes, environment) => {
      await refuseIfChangedSince(tx, environment, current, sentences.changedSince)
      await keptRevision(tx, environment, revision)
      const versions = await stateAt(tx, environment, { revision })
      const items = (await mapWithPauses(versions, (version) => restorable(environment, version) ?? [])).flat()
      const ids = new Map(items.map(({ id, name }) => [name, id]))
      return replaceItems(tx, notes, environment, { items, ids, source: revision })
    }),
  )
}

export function restoreItem(
  core: Core,
  caller: Member,
  { id, name, revision, current, note }: InputOf<typeof history.restoreItem>,
): Promise<EnvironmentSummary> {
  const change = { action: "item.restore", environmentId: id, note } as const
  return changeEnvironment(core, caller, change, async (tx, notes, environment) => {
    const newest = await store.versionAt(tx, environment, { name, revision: environment.revision })
    const last = newest && { name, revision: newest.revision, isDeleted: isRemoved(newest) }
    await refuseIfNameChanged(tx, environment, { last, revision: current }, (names) => idsOf(tx, environment, names))
    const version = await versionToUse(tx, environment, { name, revision })
    const item = version && restorable(environment, version)
    if (item === undefined) throw new AppError("not_found", sentences.nameNotInRevision)
    return restoreNamed(tx, notes, environment, { item, source: revision })
  })
}

/** The newest version of a name that exists is its current value, and stays. */
export function eraseVersion(
  core: Core,
  caller: Member,
  { id, name, revision }: InputOf<typeof history.erase>,
): Promise<null> {
  const change = { action: "version.erase", environmentId: id } as const
  return changeEnvironment(core, caller, change, async (tx, notes, environment) => {
    const version = await store.versionAt(tx, environment, { name, revision })
    if (version?.revision !== revision || version.sealedValue === null) {
      await keptRevision(tx, environment, revision)
      throw notFound("Item")
    }
    const current = await store.versionAt(tx, environment, { name, revision: environment.revision })
    if (current?.revision === revision) throw conflict(sentences.currentValue)
    const sealedBytes = sealedLength(version.sealedValue)
    await store.eraseVersion(tx, environment, { name, revision, sealedBytes })
    notes.about({ collectionId: environment.collectionId, environmentId: id, names: [name] })
    notes.grow({ collectionId: environment.collectionId }, { rows: 0, sealedBytes: -sealedBytes })
    return null
  })
}

/** An old value that no revision shows any more is still in its item's history, if it was the first one that is kept. */
async function versionToUse(
  db: Reader,
  environment: LockedEnvironment,
  at: { name: string; revision: number },
): Promise<store.VersionRow | undefined> {
  const version = await store.versionAt(db, environment, at)
  if (version?.revision !== at.revision) await keptRevision(db, environment, at.revision)
  return version
}

/** Reads of one moment. */
async function inHistory<Result>(
  core: Core,
  caller: Member,
  id: number,
  read: (snapshot: Reader, environment: store.HistoryOf, key: ReadingKey) => Promise<Result>,
): Promise<Result> {
  return core.snapshot(async (snapshot) => {
    const environment = await store.historyOf(snapshot, caller, id)
    if (environment === undefined) throw await outOfReach(snapshot, caller, { environmentId: id })
    const { collectionId, wrappedKey, isReadable } = environment
    const key = isReadable ? await core.vault.dataKey(snapshot, collectionId, wrappedKey) : "none"
    return read(snapshot, environment, key)
  })
}

function toRevision(row: store.RevisionRow): Revision {
  const { number, action, note, added, changed, removed, source, baseId, baseRevision, createdAt } = row
  const { sourceEnvironmentId, sourceEnvironmentName } = row
  return {
    number,
    at: isoTime(createdAt),
    action,
    by: actorOf(row),
    note,
    added,
    changed,
    removed,
    source,
    sourceEnvironment:
      sourceEnvironmentId === null ? null : { id: sourceEnvironmentId, name: sourceEnvironmentName ?? "" },
    baseId,
    baseRevision,
  }
}

function actorOf({ actor, actorName }: store.RevisionRow | Omit<store.RevisionRow, "number">): string | null {
  return actor === "server" ? null : actorName
}
