import { type apiKeys, type InputOf, type KeyLeak, type LeakedName, limits } from "@envkeep/contract"
import type { Member } from "../../../../access/caller.ts"
import { sortedNames } from "../../../../bounds/sorted-names.ts"
import { nextTurn, startPace } from "../../../../bounds/turns.ts"
import type { Core } from "../../../../db/core.ts"
import type { Reader } from "../../../../db/schema.ts"
import { notFound } from "../../../../errors.ts"
import { isoTime } from "../../../../iso-time.ts"
import { findPastState, type Layer } from "../../history/past.ts"
import type { HoldBytes } from "../../scope.ts"
import { describeApiKey } from "../rules.ts"
import { type ApiKeyRow, apiKeyRow } from "../store.ts"
import { type Change, lastChanges } from "./changes.ts"
import * as store from "./store.ts"

const bytesPerName = 500

/**
 * What a key could read until it ended, and what has been replaced since. A value that was written while the key could
 * still be used is not replaced: the key could read it too.
 */
export async function keyLeak(
  core: Core,
  caller: Member,
  { id }: InputOf<typeof apiKeys.leak>,
  holdBytes: HoldBytes,
): Promise<KeyLeak> {
  const row = await apiKeyRow(core.db, caller, id)
  const environment = row && (await store.keyedEnvironment(core.db, caller, row.environmentId))
  if (row === undefined || environment === undefined) throw notFound("API Key")
  // Each name that it has no more is in a version that was replaced or removed.
  const formerNames = environment.historyBytes / limits.versionBytes
  await holdBytes(bytesPerName * Math.ceil(environment.itemCount + formerNames))
  const endedAt = endOf(row)
  return core.snapshot(async (db) => {
    const revisions = await revisionsOf(db, environment, row.createdAt, endedAt)
    const networks = await store.networkRows(db, id)
    return {
      apiKey: describeApiKey(row),
      subCollectionName: environment.name,
      collectionId: environment.collectionId,
      collectionName: environment.collectionName,
      endedAt: endedAt === undefined ? null : isoTime(endedAt),
      revisions,
      reads: await store.readsOf(db, id),
      networks: networks.map(({ firstAt, lastAt, ...network }) => ({
        ...network,
        firstAt: isoTime(firstAt),
        lastAt: isoTime(lastAt),
      })),
      names: await leakedNames(db, environment, { revisions, hasEnded: endedAt !== undefined, row }),
    }
  })
}

/** Undefined while it can be used. */
function endOf({ disabledAt, expires_at }: ApiKeyRow): number | undefined {
  const ends = [disabledAt, expires_at].filter((at): at is number => at !== null && at <= Date.now())
  return ends.length === 0 ? undefined : Math.min(...ends)
}

type Revisions = KeyLeak["revisions"]

/** The current revision when the key was made, and when it ended. Earlier than what is kept, nothing is known. */
async function revisionsOf(
  db: Reader,
  { id, historyFrom }: store.KeyedEnvironment,
  createdAt: number,
  endedAt = Number.MAX_SAFE_INTEGER,
): Promise<Revisions> {
  const from = Math.max(historyFrom, (await store.revisionBefore(db, id, createdAt)) ?? 0)
  return { from, to: Math.max(from, (await store.revisionBefore(db, id, endedAt)) ?? 0) }
}

interface Life {
  revisions: Revisions
  hasEnded: boolean
  row: ApiKeyRow
}

async function leakedNames(
  db: Reader,
  environment: store.KeyedEnvironment,
  { revisions, hasEnded, row }: Life,
): Promise<LeakedName[]> {
  const past = await findPastState(db, environment, revisions.to)
  if (past === undefined) return []
  const environmentNames = await store.environmentNames(
    db,
    past.layers.map((layer) => layer.environment.id),
  )
  const pace = startPace()
  const wasReadAfter = (time: number | null) => row.lastUsedAt !== null && row.lastUsedAt >= (time ?? 0)
  const found = new Map<string, LeakedName>()
  for (const layer of past.layers) {
    const environmentId = layer.environment.id
    const place = { environmentId, environmentName: environmentNames.get(environmentId) ?? "" }
    const changes = hasEnded ? await lastChanges(db, environmentId, layer.revision) : new Map<string, Change>()
    for (const { name, writtenAt } of await readableNames(db, layer)) {
      if (found.has(name)) continue
      const { state, renamedTo } = changes.get(name) ?? { state: "open" as const, renamedTo: null }
      found.set(name, { name, ...place, state, renamedTo, wasRead: wasReadAfter(writtenAt) })
      if (pace.isDue()) await pace.turn()
    }
  }
  const own = { environmentId: environment.id, environmentName: environment.name }
  for (const name of await removedNames(db, environment, revisions)) {
    if (found.has(name)) continue
    found.set(name, { name, ...own, state: "removed", renamedTo: null, wasRead: row.lastUsedAt !== null })
    if (pace.isDue()) await pace.turn()
  }
  return sortedByName(found)
}

async function readableNames(db: Reader, { environment, revision }: Layer): Promise<store.WrittenName[]> {
  const all: store.WrittenName[] = []
  for (let afterName = ""; ; await nextTurn()) {
    const batch = await store.namesAt(db, environment.id, { revision, afterName })
    for (const row of batch) if (row.removed === 0) all.push(row)
    afterName = batch.at(-1)?.name ?? afterName
    if (batch.length < store.rowsPerBatch) return all
  }
}

/** What was there for a part of the key's life. */
async function removedNames(db: Reader, { id }: store.KeyedEnvironment, { from, to }: Revisions): Promise<string[]> {
  const removed: string[] = []
  const pace = startPace()
  for (const [name, { state }] of await lastChanges(db, id, from, to)) {
    if (state === "removed") removed.push(name)
    if (pace.isDue()) await pace.turn()
  }
  return removed
}

/** A history may have had a hundred thousand names. */
async function sortedByName(found: ReadonlyMap<string, LeakedName>): Promise<LeakedName[]> {
  const names = sortedNames()
  await names.add([...found.keys()])
  const sorted: LeakedName[] = []
  const pace = startPace()
  for (const name of await names.all()) {
    const one = found.get(name)
    if (one !== undefined) sorted.push(one)
    if (pace.isDue()) await pace.turn()
  }
  return sorted
}
