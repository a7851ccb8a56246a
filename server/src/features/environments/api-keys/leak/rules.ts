import type { apiKeys, InputOf, KeyLeak, LeakedName } from "@envkeep/contract"
import type { Member } from "../../../../access/caller.ts"
import { inBatches } from "../../../../bounds/batches.ts"
import { sortedNames } from "../../../../bounds/sorted-names.ts"
import { eachWithPauses, mapWithPauses } from "../../../../bounds/turns.ts"
import type { Core } from "../../../../core/core.ts"
import type { Reader } from "../../../../db/schema.ts"
import { notFound } from "../../../../errors.ts"
import { isoTime } from "../../../../iso-time.ts"
import type { DataKey } from "../../../../keys/secrets.ts"
import { findPastState, type Layer, stateOfNames } from "../../history/past.ts"
import { pastValue } from "../../history/past-values.ts"
import { describeApiKey } from "../rules.ts"
import { type ApiKeyRow, apiKeyRow } from "../store.ts"
import { type Change, lastChanges } from "./changes.ts"
import * as store from "./store.ts"

/**
 * What a key could read until it ended, and what has been replaced since, by another value. A value that was written while
 * the key could still be used is not replaced: the key could read it too.
 */
export async function keyLeak(core: Core, caller: Member, { id }: InputOf<typeof apiKeys.leak>): Promise<KeyLeak> {
  const row = await apiKeyRow(core.db, caller, id)
  const environment = row && (await store.keyedEnvironment(core.db, caller, row.environmentId))
  if (row === undefined || environment === undefined) throw notFound("API Key")
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
      names: await leakedNames(
        db,
        { ...environment, key: await core.vault.dataKey(db, environment.collectionId, environment.wrappedKey) },
        { revisions, hasEnded: endedAt !== undefined, row },
      ),
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

/** The key opens values to compare them. None leaves the server. */
type OpenedEnvironment = store.KeyedEnvironment & { key: DataKey }

interface Life {
  revisions: Revisions
  hasEnded: boolean
  row: ApiKeyRow
}

async function leakedNames(
  db: Reader,
  environment: OpenedEnvironment,
  { revisions, hasEnded, row }: Life,
): Promise<LeakedName[]> {
  const past = await findPastState(db, environment, revisions.to)
  if (past === undefined) return []
  const environmentNames = await store.environmentNames(
    db,
    past.layers.map((layer) => layer.environment.id),
  )
  const wasReadAfter = (time: number | null) => row.lastUsedAt !== null && row.lastUsedAt >= (time ?? 0)
  const found = new Map<string, LeakedName>()
  for (const layer of past.layers) {
    const environmentId = layer.environment.id
    const place = { environmentId, environmentName: environmentNames.get(environmentId) ?? "" }
    const changes = hasEnded ? await lastChanges(db, environmentId, layer.revision) : new Map<string, Change>()
    await compareValues(db, layer, environment.key, changes)
    await eachWithPauses(await readableNames(db, layer), ({ name, writtenAt }) => {
      if (found.has(name)) return
      const { state, renamedTo } = changes.get(name) ?? { state: "open" as const, renamedTo: null }
      found.set(name, { name, ...place, state, renamedTo, wasRead: wasReadAfter(writtenAt) })
    })
  }
  const own = { environmentId: environment.id, environmentName: environment.name }
  await eachWithPauses(await removedNames(db, environment, revisions), (name) => {
    if (found.has(name)) return
    found.set(name, { name, ...own, state: "removed", renamedTo: null, wasRead: row.lastUsedAt !== null })
  })
  return sortedByName(found)
}

/** What counts is whether the value is another one: it may have been typed in again, or replaced together with its name. */
async function compareValues(db: Reader, layer: Layer, key: DataKey, changes: Map<string, Change>): Promise<void> {
  const traced = [...changes].filter(([, { state }]) => state !== "removed")
  if (traced.length === 0) return
  const at = async (revision: number, names: readonly string[]) => {
    const versions = await stateOfNames(db, layer.environment, { revision, names })
    return new Map(versions.map((version) => [version.name, version]))
  }
  const leaked = await at(
    layer.revision,
    traced.map(([name]) => name),
  )
  const current = await at(
    Number.MAX_SAFE_INTEGER,
    traced.map(([name, { renamedTo }]) => renamedTo ?? name),
  )
  await eachWithPauses(traced, ([name, change]) => {
    const { value } = pastValue(leaked.get(name), key)
    const now = pastValue(current.get(change.renamedTo ?? name), key).value
    // One that cannot be read is not known to be the same.
    if (value === null || now === null) return
    changes.set(name, { ...change, state: value === now ? "open" : "replaced" })
  })
}

async function readableNames(db: Reader, { environment, revision }: Layer): Promise<store.WrittenName[]> {
  const names = await inBatches(store.rowsPerBatch, (last: store.WrittenName | undefined) =>
    store.namesAt(db, environment.id, { revision, afterName: last?.name ?? "" }),
  )
  return names.filter(({ removed }) => removed === 0)
}

/** What was there for a part of the key's life. */
async function removedNames(db: Reader, { id }: store.KeyedEnvironment, { from, to }: Revisions): Promise<string[]> {
  const removed: string[] = []
  await eachWithPauses(await lastChanges(db, id, from, to), ([name, { state }]) => {
    if (state === "removed") removed.push(name)
  })
  return removed
}

/** A history may have had a hundred thousand names. */
async function sortedByName(found: ReadonlyMap<string, LeakedName>): Promise<LeakedName[]> {
  const names = sortedNames()
  await names.add([...found.keys()])
  const sorted = await mapWithPauses(await names.all(), (name) => found.get(name) ?? [])
  return sorted.flat()
}
