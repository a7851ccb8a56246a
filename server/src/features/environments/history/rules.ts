import {
  type EnvironmentSummary,
  type history,
  type InputOf,
  limits,
  type NameChange,
  type OutputOf,
  type PastValue,
  type Revision,
  sentences,
} from "@envkeep/contract"
import type { Member } from "../../../access/caller.ts"
import { ownerOf } from "../../../access/reach.ts"
import { startPace } from "../../../bounds/turns.ts"
import type { Core } from "../../../db/core.ts"
import type { Reader } from "../../../db/schema.ts"
import { AppError, conflict, notFound } from "../../../errors.ts"
import { type DataKey, openSecret } from "../../../keys/secrets.ts"
import { changeNamed, replaceItems } from "../items/rules.ts"
import { changeEnvironment, type LockedEnvironment } from "../lock.ts"
import type { HoldBytes } from "../scope.ts"
import { isErased, isRemoved, keptRevision, stateAt } from "./past.ts"
import * as store from "./store.ts"

const perPage = 50
const newest = Number.MAX_SAFE_INTEGER
/** No more than this was ever in one revision. */
const stateBytes = limits.environmentBytes

export async function listRevisions(
  { db }: Core,
  caller: Member,
  { id, before = newest }: InputOf<typeof history.list>,
): Promise<OutputOf<typeof history.list>> {
  const environment = await store.historyOf(db, caller, id)
  if (environment === undefined) throw notFound("Environment")
  const rows = await store.revisionRows(db, environment, { before, count: perPage + 1 })
  return { revisions: rows.slice(0, perPage).map(toRevision), isWhole: rows.length <= perPage }
}

export function getRevision(
  core: Core,
  caller: Member,
  { id, revision }: InputOf<typeof history.get>,
  holdBytes: HoldBytes,
): Promise<OutputOf<typeof history.get>> {
  const wanted = { caller, id, maxBytes: stateBytes, holdBytes }
  return inHistory(core, wanted, async (snapshot, environment, dataKey) => {
    const { row } = await keptRevision(snapshot, environment, revision)
    const versions = (await stateAt(snapshot, environment, { revision })).filter((version) => !isRemoved(version))
    const items = versions.map((version) => withName(version.name, pastValue(id, version, dataKey)))
    return { revision: toRevision(row), items }
  })
}

export function getChanges(
  core: Core,
  caller: Member,
  { id, revision, since }: InputOf<typeof history.changes>,
  holdBytes: HoldBytes,
): Promise<OutputOf<typeof history.changes>> {
  const wanted = { caller, id, maxBytes: 2 * stateBytes, holdBytes }
  return inHistory(core, wanted, async (snapshot, environment, dataKey) => {
    const earlier = Math.min(since ?? revision - 1, revision)
    const later = Math.max(since ?? revision - 1, revision)
    await keptRevision(snapshot, environment, later)
    // What was before the first revision that is kept can still be told, unless it was asked for by its number.
    if (since !== undefined) await keptRevision(snapshot, environment, earlier)
    const changed = { after: earlier, upTo: later }
    const before = new Map<string, store.VersionRow>()
    for (const row of await stateAt(snapshot, environment, { revision: earlier, changed })) before.set(row.name, row)
    const changes: NameChange[] = []
    const pace = startPace()
    for (const version of await stateAt(snapshot, environment, { revision: later, changed })) {
      const { name, previousName } = version
      const values = {
        before: pastValue(id, before.get(name), dataKey),
        after: pastValue(id, version, dataKey),
      }
      const previous = previousName === null ? undefined : before.get(previousName)
      const wasThere = previous !== undefined && !isRemoved(previous)
      if (isDifferent(values)) changes.push({ name, previousName: wasThere ? previousName : null, ...values })
      if (pace.isDue()) await pace.turn()
    }
    return { changes }
  })
}

export function getItemHistory(
  core: Core,
  caller: Member,
  { id, name, before = newest }: InputOf<typeof history.ofItem>,
  holdBytes: HoldBytes,
): Promise<OutputOf<typeof history.ofItem>> {
  const wanted = { caller, id, maxBytes: (perPage + 1) * limits.itemValueBytes, holdBytes }
  return inHistory(core, wanted, async (snapshot, environment, dataKey) => {
    const rows = await store.versionRows(snapshot, environment, { name, before, count: perPage + 1 })
    const versions = rows.slice(0, perPage).map((row) => {
      const { state, value, erasedAt, erasedBy } = pastValue(id, row, dataKey)
      return {
        state,
        value,
        erasedAt,
        erasedBy,
        revision: row.revision,
        previousName: row.previousName,
        at: new Date(row.createdAt).toISOString(),
        by: actorOf(row),
        action: row.action,
        note: row.note,
      }
    })
    return { versions, isWhole: rows.length <= perPage }
  })
}

export async function restoreEnvironment(
  core: Core,
  caller: Member,
  { id, revision, current, note }: InputOf<typeof history.restore>,
  holdBytes: HoldBytes,
): Promise<EnvironmentSummary> {
  await holdBytesOf(core, { caller, id, maxBytes: 2 * stateBytes, holdBytes })
  const change = { action: "environment.restore", environmentId: id, note } as const
  return changeEnvironment(core, caller, change, async (tx, notes, environment) => {
    if (current !== undefined && current !== environment.revision) throw conflict(sentences.changedSince)
    await keptRevision(tx, environment, revision)
    const items = []
    const pace = startPace()
    for (const version of await stateAt(tx, environment, { revision })) {
      const item = restorable(environment, version)
      if (item !== undefined) items.push(item)
      if (pace.isDue()) await pace.turn()
    }
    return replaceItems(tx, notes, environment, { items, source: revision })
  })
}

export function restoreItem(
  core: Core,
  caller: Member,
  { id, name, revision, note }: InputOf<typeof history.restoreItem>,
): Promise<EnvironmentSummary> {
  const change = { action: "item.restore", environmentId: id, note } as const
  return changeEnvironment(core, caller, change, async (tx, notes, environment) => {
    const version = await versionToUse(tx, environment, { name, revision })
    const item = version && restorable(environment, version)
    if (item === undefined) throw new AppError("not_found", sentences.nameNotInRevision)
    return changeNamed(tx, notes, environment, { item, source: revision })
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
    const sealedBytes = version.sealedValue.length
    await store.eraseVersion(tx, environment, { name, revision, sealedBytes })
    notes.about({ collectionId: environment.collectionId, environmentId: id, names: [name] })
    notes.grow(ownerOf(caller), { rows: 0, sealedBytes: -sealedBytes })
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

interface WantedHistory {
  caller: Member
  /** Of the environment. */
  id: number
  /** More than this is never loaded, however long the history is. */
  maxBytes: number
  holdBytes: HoldBytes
}

/** Reads of one moment. */
async function inHistory<Result>(
  core: Core,
  wanted: WantedHistory,
  read: (snapshot: Reader, environment: store.HistoryOf, dataKey: DataKey) => Promise<Result>,
): Promise<Result> {
  await holdBytesOf(core, wanted)
  return core.snapshot(async (snapshot) => {
    const environment = await store.historyOf(snapshot, wanted.caller, wanted.id)
    if (environment === undefined) throw notFound("Environment")
    const { collectionId, wrappedKey } = environment
    return read(snapshot, environment, await core.vault.dataKey(snapshot, collectionId, wrappedKey))
  })
}

/** Before a snapshot or a lock is taken: a wait must not hold a connection. */
async function holdBytesOf({ db }: Core, { caller, id, maxBytes, holdBytes }: WantedHistory): Promise<void> {
  const environment = await store.historyOf(db, caller, id)
  if (environment === undefined) throw notFound("Environment")
  await holdBytes(Math.min(environment.storedBytes, maxBytes))
}

/** The value is opened each time it is read, which is when it is sent. */
function pastValue(environmentId: number, version: store.VersionRow | undefined, dataKey: DataKey): OpenedWhenRead {
  const open = () => {
    const { name = "", sealedValue = null } = version ?? {}
    return sealedValue === null ? null : openSecret(dataKey, sealedValue, { kind: "item", environmentId, name })
  }
  return {
    writtenBy: version === undefined || isRemoved(version) ? undefined : version.revision,
    ...(version !== undefined && isErased(version) ? erasure(version) : {}),
    get state() {
      if (version === undefined || isRemoved(version)) return "removed"
      if (isErased(version)) return "erased"
      return open() === null ? "damaged" : "set"
    },
    get value() {
      return open()
    },
  }
}

function erasure({ erasedAt, erasedBy }: store.VersionRow): Pick<PastValue, "erasedAt" | "erasedBy"> {
  return { erasedAt: erasedAt === null ? null : new Date(erasedAt).toISOString(), erasedBy }
}

interface OpenedWhenRead extends PastValue {
  /** The revision that wrote it; undefined if there was nothing. */
  writtenBy: number | undefined
}

/** Not spread, which would open the value at once. */
function withName(name: string, past: OpenedWhenRead): PastValue & { name: string } {
  return Object.assign(past, { name })
}

/** Whether values that cannot be read are the same is unknown, unless it is the very same version. */
function isDifferent({ before, after }: Record<"before" | "after", OpenedWhenRead>): boolean {
  if (before.writtenBy === after.writtenBy) return false
  return before.state !== "set" || after.state !== "set" || before.value !== after.value
}

/** Undefined if the name was removed. */
function restorable(
  { id, dataKey }: LockedEnvironment,
  version: store.VersionRow,
): { name: string; value: string } | undefined {
  const { state, value } = pastValue(id, version, dataKey)
  if (state === "erased") throw new AppError("gone", sentences.valueErased)
  if (state === "damaged") throw new AppError("unprocessable", sentences.valueDamaged)
  return value === null ? undefined : { name: version.name, value }
}

function toRevision(row: store.RevisionRow): Revision {
  const { number, action, note, added, changed, removed, source, createdAt } = row
  return {
    number,
    at: new Date(createdAt).toISOString(),
    action,
    by: actorOf(row),
    note,
    added,
    changed,
    removed,
    source,
  }
}

function actorOf({ actor, actorName }: store.RevisionRow | Omit<store.RevisionRow, "number">): string | null {
  return actor === "server" ? null : actorName
}
