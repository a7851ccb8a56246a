import { limits } from "@envkeep/contract"
import { theServer } from "../../../../access/caller.ts"
import { nextTurn } from "../../../../bounds/turns.ts"
import type { Core } from "../../../../db/core.ts"
import type { Reader, Tx } from "../../../../db/schema.ts"
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
 * Removes revisions that are too old, and the oldest ones of a history that is too large. What the kept revisions show
 * stays. Writers of an environment wait for one batch of it at most.
 */
export async function pruneHistory(core: Core, retention: Retention): Promise<Pruned> {
  const { days, newest = limits.keptRevisions, maxBytes = limits.historyBytes } = retention
  const bounds = { newest, maxBytes, before: days === undefined ? 0 : Date.now() - days * dayMs }
  const pruned: Pruned = { environments: 0, revisions: 0, versions: 0 }
  for (let afterId = 0; ; await nextTurn()) {
    const batch = await store.historiesToPrune(core.db, { afterId, count: environmentsPerBatch, ...bounds })
    for (const { id, isDue } of batch) {
      if (!isDue) continue
      const one = await pruneEnvironment(core, id, bounds)
      if (one.versions + one.revisions > 0) pruned.environments++
      pruned.revisions += one.revisions
      pruned.versions += one.versions
    }
    afterId = batch.at(-1)?.id ?? afterId
    if (batch.length < environmentsPerBatch) return pruned
  }
}

async function pruneEnvironment(core: Core, id: number, bounds: store.Bounds): Promise<Omit<Pruned, "environments">> {
  const pruned = { revisions: 0, versions: 0 }
  let keepFrom: number | undefined
  for (;;) {
    const batch = await pruneBatch(core, id, keepFrom ?? ((tx, history) => firstToKeep(tx, history, bounds)))
    if (batch === undefined) return pruned
    pruned.revisions += batch.revisions
    pruned.versions += batch.versions
    // After the last batch it looks again: the history may still be too large.
    keepFrom = batch.isLast ? undefined : batch.keepFrom
    await nextTurn()
  }
}

/** Undefined if nothing has to go. */
async function firstToKeep(
  db: Reader,
  history: store.LockedHistory,
  { newest, before, maxBytes }: store.Bounds,
): Promise<number | undefined> {
  const inTime = await store.firstInTime(db, history, { newest, before })
  const inSize = history.historyBytes > maxBytes ? await store.revisionAfter(db, history, revisionsPerStep) : 0
  const first = Math.max(inTime ?? 0, inSize)
  return first > history.historyFrom ? first : undefined
}

/** One short transaction. Revisions go last, because versions that are kept may need them. */
function pruneBatch(
  core: Core,
  environmentId: number,
  wanted: number | ((tx: Tx, history: store.LockedHistory) => Promise<number | undefined>),
) {
  return core.change(theServer, "history.prune", async (tx, notes) => {
    // An event for each batch would only fill the audit trail.
    notes.nothingChanged()
    const history = await store.lockHistory(tx, environmentId)
    const keepFrom = typeof wanted === "number" ? wanted : history && (await wanted(tx, history))
    if (history === undefined || keepFrom === undefined) return undefined
    const versions = await store.oldVersions(tx, history, { keepFrom, count: rowsPerBatch })
    await store.deleteVersions(tx, versions)
    const areVersionsDone = versions.length < rowsPerBatch
    const revisions = areVersionsDone ? await store.deleteRevisions(tx, history, { keepFrom, count: rowsPerBatch }) : 0
    const freedBytes = versions.reduce((sum, one) => sum + countedBytes(one), 0)
    await store.setHistory(tx, history, { historyFrom: keepFrom, freedBytes })
    notes.grow(history.ownerId, { rows: 0, sealedBytes: -freedBytes })
    return { keepFrom, versions: versions.length, revisions, isLast: areVersionsDone && revisions < rowsPerBatch }
  })
}

/** As `changeItems` has counted it. */
function countedBytes({ sealedBytes, isRemoval }: store.OldVersion): number {
  return isRemoval ? 0 : limits.versionBytes + sealedBytes
}
