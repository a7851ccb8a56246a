import { limits } from "@envkeep/contract"
import { theServer } from "../../../../access/caller.ts"
import { type BadRows, createBadRows } from "../../../../bounds/bad-rows.ts"
import { pagesFrom, readBatches } from "../../../../bounds/batches.ts"
import type { Core } from "../../../../core/core.ts"
import type { Reader, Tx } from "../../../../db/schema.ts"
import { supersededVersionBytes } from "../../items/change-items.ts"
import * as store from "./store.ts"

const dayMs = 24 * 60 * 60 * 1_000
const environmentsPerBatch = 200
/** One batch is one short transaction. */
const rowsPerBatch = 500
/** By how many revisions a history that is too large gets shorter at a time. */
const revisionsPerStep = 10

export interface Retention {
  /** How long revisions are kept; without it, for as long as there is room. */
  days: number | undefined
  /** So many are kept however old they are. */
  newest?: number
  maxBytes?: number
}

export interface Pruned {
  environments: number
  revisions: number
  versions: number
}

/**
 * Removes revisions that are too old, and the oldest ones of a history that is too large or keeps its account over the
 * quota. What the kept revisions show stays. Writers of an environment wait for one batch of it at most. Once the signal is
 * aborted, it ends between two environments: one that is begun looks pruned, so the next run would not finish it. No
 * environment waits for one that fails.
 */
export async function pruneHistory(
  core: Core,
  retention: Retention,
  signal?: AbortSignal,
  badRows: BadRows = createBadRows(),
): Promise<Pruned> {
  const { days, newest = limits.keptRevisions, maxBytes = limits.historyBytes } = retention
  const bounds = { newest, maxBytes, before: days === undefined ? 0 : Date.now() - days * dayMs }
  const counts: Counts = { environments: new Set(), revisions: 0, versions: 0 }
  const run: Run = { core, counts, signal, badRows }
  await pruneEnvironments(run, bounds)
  if (core.quotaBytes !== undefined) await pruneAccounts(run, core.quotaBytes)
  return { ...counts, environments: counts.environments.size }
}

interface Counts extends Omit<Pruned, "environments"> {
  environments: Set<number>
}

interface Run {
  core: Core
  counts: Counts
  signal: AbortSignal | undefined
  badRows: BadRows
}

async function pruneEnvironments(run: Run, bounds: store.Bounds): Promise<void> {
  const { core, signal } = run
  const batches = readBatches(environmentsPerBatch, (last: { id: number } | undefined) =>
    store.historiesToPrune(core.db, { afterId: last?.id ?? 0, count: environmentsPerBatch, ...bounds }),
  )
  for await (const batch of batches) {
    for (const { id, isTooLong } of batch) {
      // After each time it looks again: the history may still be too long.
      for (let isLeft = isTooLong; isLeft && !signal?.aborted; ) {
        isLeft = (await prune(run, id, (tx, one) => firstToKeep(tx, one, bounds))) === true
      }
    }
    if (signal?.aborted) return
  }
}

/**
 * A full account can still replace its values, and is then over its quota until history goes. Of all its environments the
 * oldest revisions go first, and none if that would not be enough.
 */
async function pruneAccounts(run: Run, quotaBytes: number): Promise<void> {
  const { core, signal, badRows } = run
  for (const { userId } of await store.accountsOverQuota(core.db, quotaBytes)) {
    while (!signal?.aborted) {
      const except = badRows.keysIn("environment")
      const environmentId = await store.oldestHistoryOf(core.db, { userId, quotaBytes, except })
      if (environmentId === undefined) break
      if ((await prune(run, environmentId, nextStep)) === false) break
    }
  }
}

type FirstToKeep = (tx: Tx, history: store.LockedHistory) => Promise<number | undefined>

/** Removes what is before one revision, in batches. False if nothing has to go, and undefined if that fails. */
function prune({ core, counts, badRows }: Run, environmentId: number, firstToKeep: FirstToKeep) {
  const work = () => pruneInBatches(core, environmentId, { counts, firstToKeep })
  return badRows.attempt("environment", environmentId, work)
}

async function pruneInBatches(
  core: Core,
  environmentId: number,
  { counts, firstToKeep }: { counts: Counts; firstToKeep: FirstToKeep },
): Promise<boolean> {
  const batches = pagesFrom<number | FirstToKeep, PrunedBatch>(firstToKeep, (wanted) =>
    pruneBatch(core, environmentId, wanted),
  )
  for await (const { pruned } of batches) {
    if (pruned === undefined) return false
    if (pruned.versions + pruned.revisions > 0) counts.environments.add(environmentId)
    counts.revisions += pruned.revisions
    counts.versions += pruned.versions
  }
  return true
}

interface PrunedBatch {
  /** Undefined if nothing has to go. */
  pruned: { versions: number; revisions: number } | undefined
  /** The first revision to keep, or null if this was the last batch. */
  next: number | null
}

/** Undefined if nothing has to go. */
async function firstToKeep(
  db: Reader,
  history: store.LockedHistory,
  { newest, before, maxBytes }: store.Bounds,
): Promise<number | undefined> {
  const inTime = await store.firstInTime(db, history, { newest, before })
  const inSize = history.historyBytes > maxBytes ? await nextStep(db, history) : undefined
  const first = Math.max(inTime ?? 0, inSize ?? 0)
  return first > history.historyFrom ? first : undefined
}

async function nextStep(db: Reader, history: store.LockedHistory): Promise<number | undefined> {
  const first = await store.revisionAfter(db, history, revisionsPerStep)
  return first > history.historyFrom ? first : undefined
}

/** One short transaction. Revisions go last, because versions that are kept may need them. */
function pruneBatch(core: Core, environmentId: number, wanted: number | FirstToKeep): Promise<PrunedBatch> {
  return core.change(theServer, "history.prune", async (tx, notes) => {
    // An event for each batch would only fill the audit trail.
    notes.nothingChanged()
    const history = await store.lockHistory(tx, environmentId)
    const keepFrom = typeof wanted === "number" ? wanted : history && (await wanted(tx, history))
    if (history === undefined || keepFrom === undefined) return { pruned: undefined, next: null }
    const versions = await store.oldVersions(tx, history, { keepFrom, count: rowsPerBatch })
    await store.deleteVersions(tx, versions)
    const areVersionsDone = versions.length < rowsPerBatch
    const deleted = areVersionsDone ? await store.deleteRevisions(tx, history, { keepFrom, count: rowsPerBatch }) : []
    const revisions = deleted.length
    const countedBytes =
      versions.reduce((sum, one) => sum + bytesOf(one), 0) + deleted.reduce((sum, { noteBytes }) => sum + noteBytes, 0)
    // Names and notes did not count at first, so what is freed may be more than was counted.
    const freedBytes = Math.min(countedBytes, history.historyBytes)
    await store.setHistory(tx, history, { historyFrom: keepFrom, freedBytes })
    notes.grow({ collectionId: history.collectionId }, { rows: 0, sealedBytes: -freedBytes })
    const isLast = areVersionsDone && revisions < rowsPerBatch
    return { pruned: { versions: versions.length, revisions }, next: isLast ? null : keepFrom }
  })
}

/** As `changeItems` has counted it. */
function bytesOf({ nameBytes, sealedBytes, isRemoval }: store.OldVersion): number {
  return isRemoval ? 0 : supersededVersionBytes(nameBytes, sealedBytes)
}
