import {
  type EnvironmentSummary,
  type history,
  type InputOf,
  type NameChange,
  type OutputOf,
  type PastValue,
  type Revision,
  sentences,
} from "@envkeep/contract"
import type { Member } from "../../../access/caller.ts"
import { nextTurn, startPace } from "../../../bounds/turns.ts"
import type { Core } from "../../../db/core.ts"
import type { Reader } from "../../../db/schema.ts"
import { AppError, conflict, notFound } from "../../../errors.ts"
import { type DataKey, openSecret } from "../../../keys/secrets.ts"
import { changeNamed, replaceItems } from "../items/rules.ts"
import { changeEnvironment, type LockedEnvironment } from "../lock.ts"
import type { HoldBytes } from "../scope.ts"
import * as store from "./store.ts"

const perPage = 50
const newest = Number.MAX_SAFE_INTEGER

export async function listRevisions(
  { db }: Core,
  caller: Member,
  { id, before = newest }: InputOf<typeof history.list>,
): Promise<OutputOf<typeof history.list>> {
  if ((await store.historyOf(db, caller, id)) === undefined) throw notFound("Environment")
  const rows = await store.revisionRows(db, caller, { environmentId: id, before, count: perPage + 1 })
  return { revisions: rows.slice(0, perPage).map(toRevision), isWhole: rows.length <= perPage }
}

export function getRevision(
  core: Core,
  caller: Member,
  { id, revision }: InputOf<typeof history.get>,
  holdBytes: HoldBytes,
): Promise<OutputOf<typeof history.get>> {
  return inHistory(core, caller, id, holdBytes, async (snapshot, environment, dataKey) => {
    const row = await keptRevision(snapshot, caller, environment, revision)
    const items = []
    for (const version of await stateAt(snapshot, { environmentId: id, revision })) {
      if (!isRemoved(version)) items.push({ name: version.name, ...pastValue(id, version, dataKey) })
    }
    return { revision: toRevision(row), items }
  })
}

export function getChanges(
  core: Core,
  caller: Member,
  { id, revision, since }: InputOf<typeof history.changes>,
  holdBytes: HoldBytes,
): Promise<OutputOf<typeof history.changes>> {
  return inHistory(core, caller, id, holdBytes, async (snapshot, environment, dataKey) => {
    const earlier = Math.min(since ?? revision - 1, revision)
    const later = Math.max(since ?? revision - 1, revision)
    await keptRevision(snapshot, caller, environment, later)
    // Before the first revision there was nothing.
    if (earlier > 0 && since !== undefined) await keptRevision(snapshot, caller, environment, earlier)
    const changed = { environmentId: id, changedSince: earlier }
    const before = new Map(
      (await stateAt(snapshot, { ...changed, revision: earlier })).map((version) => [version.name, version]),
    )
    const changes: NameChange[] = []
    const pace = startPace()
    for (const version of await stateAt(snapshot, { ...changed, revision: later })) {
      const change = {
        name: version.name,
        previousName: version.previousName,
        before: pastValue(id, before.get(version.name), dataKey),
        after: pastValue(id, version, dataKey),
      }
      if (isDifferent(change)) changes.push(change)
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
  return inHistory(core, caller, id, holdBytes, async (snapshot, _, dataKey) => {
    const rows = await store.versionRows(snapshot, { environmentId: id, name, before, count: perPage + 1 })
    const versions = rows.slice(0, perPage).map((row) => ({
      ...pastValue(id, row, dataKey),
      revision: row.revision,
      at: new Date(row.createdAt).toISOString(),
      by: actorOf(row),
      action: row.action,
      note: row.note,
      erasedAt: row.erasedAt === null ? null : new Date(row.erasedAt).toISOString(),
      erasedBy: row.erasedBy,
    }))
    return { versions, isWhole: rows.length <= perPage }
  })
}

export function restoreEnvironment(
  core: Core,
  caller: Member,
  { id, revision, note }: InputOf<typeof history.restore>,
): Promise<EnvironmentSummary> {
  const change = { action: "environment.restore", environmentId: id, note } as const
  return changeEnvironment(core, caller, change, async (tx, notes, environment) => {
    await keptRevision(tx, caller, environment, revision)
    const versions = await stateAt(tx, { environmentId: id, revision })
    const items = versions.flatMap((version) => restorable(environment, version) ?? [])
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
    await keptRevision(tx, caller, environment, revision)
    const version = await store.versionAt(tx, { environmentId: id, name, revision })
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
    await keptRevision(tx, caller, environment, revision)
    const current = await store.versionAt(tx, { environmentId: id, name, revision: environment.revision })
    if (current?.revision === revision && !isRemoved(current)) throw conflict(sentences.currentValue)
    if (!(await store.eraseVersion(tx, environment, { name, revision }))) throw notFound("Item")
    notes.about({ collectionId: environment.collectionId, environmentId: id, names: [name] })
    return null
  })
}

/** Reads of one moment. The bytes are held before the snapshot is taken: a wait must not hold a connection. */
async function inHistory<Result>(
  core: Core,
  caller: Member,
  environmentId: number,
  holdBytes: HoldBytes,
  read: (snapshot: Reader, environment: store.HistoryOf, dataKey: DataKey) => Promise<Result>,
): Promise<Result> {
  const found = await store.historyOf(core.db, caller, environmentId)
  if (found === undefined) throw notFound("Environment")
  await holdBytes(found.storedBytes)
  return core.snapshot(async (snapshot) => {
    const environment = await store.historyOf(snapshot, caller, environmentId)
    if (environment === undefined) throw notFound("Environment")
    return read(
      snapshot,
      environment,
      await core.vault.dataKey(snapshot, environment.collectionId, environment.wrappedKey),
    )
  })
}

async function keptRevision(
  db: Reader,
  caller: Member,
  environment: { id: number; revision: number },
  number: number,
): Promise<store.RevisionRow> {
  const row = await store.revisionRow(db, caller, { environmentId: environment.id, number })
  if (row !== undefined) return row
  if (number > environment.revision) throw notFound("Revision")
  throw new AppError("gone", sentences.revisionPruned)
}

/** The last version of each name up to a revision, in batches. Names that were removed by then are among them. */
async function stateAt(
  db: Reader,
  at: { environmentId: number; revision: number; changedSince?: number },
): Promise<store.VersionRow[]> {
  const all: store.VersionRow[] = []
  for (;;) {
    const batch = await store.stateRows(db, { ...at, afterName: all.at(-1)?.name ?? "" })
    for (const row of batch) all.push(row)
    if (batch.length < store.rowsPerBatch) return all
    await nextTurn()
  }
}

function isRemoved({ sealedValue, erasedAt }: store.VersionRow): boolean {
  return sealedValue === null && erasedAt === null
}

/** The value is opened each time it is read, which is when it is sent. */
function pastValue(environmentId: number, version: store.VersionRow | undefined, dataKey: DataKey): PastValue {
  if (version === undefined || isRemoved(version)) return { state: "removed", value: null }
  const { name, sealedValue } = version
  if (sealedValue === null) return { state: "erased", value: null }
  const value = openSecret(dataKey, sealedValue, { kind: "item", environmentId, name })
  return { state: value === null ? "damaged" : "set", value }
}

function isDifferent({ before, after }: NameChange): boolean {
  return before.state !== after.state || before.value !== after.value
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
