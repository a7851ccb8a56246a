import {
  type ApiKey,
  type ApiKeyUse,
  type apiKeys,
  type InputOf,
  type ListedApiKey,
  limits,
  sentences,
} from "@envkeep/contract"
import { atLevel, type Member } from "../../../access/caller.ts"
import { hasExpired, type SettingsRow, settingsOf, toSettingsRow } from "../../../access/key-holder.ts"
import { withPauses } from "../../../bounds/turns.ts"
import type { Core, Notes } from "../../../core/core.ts"
import type { Reader, Tx } from "../../../db/schema.ts"
import { invalid, notFound, unlessTaken } from "../../../errors.ts"
import { isoTime } from "../../../iso-time.ts"
import { type DataKey, openSecret, sealSecret } from "../../../keys/secrets.ts"
import { hashToken, newApiKey } from "../../../keys/token.ts"
import { deleteManyOfKey } from "../../instances/rules.ts"
import { changeEnvironment, type LockedEnvironment, sealingKey } from "../change-environment.ts"
import { allPages, pageWithEnvironments } from "../pages.ts"
import type { Scope } from "../scope.ts"
import * as store from "./store.ts"

export function createApiKey(
  core: Core,
  caller: Member,
  { subCollectionId, ...settings }: InputOf<typeof apiKeys.create>,
): Promise<ApiKey> {
  refusePastExpiry(settings.expiresAt)
  return unlessTaken(sentences.apiKeyNameTaken, () =>
    changeEnvironment(
      core,
      caller,
      { action: "api-key.create", environmentId: subCollectionId },
      async (tx, notes, environment) => {
        const { name, ...others } = settings
        const id = await addApiKey(tx, notes, environment, { ...toSettingsRow(others), name })
        notes.about({ collectionId: environment.collectionId, environmentId: environment.id, apiKeyId: id })
        notes.invalidate({ collectionId: environment.collectionId, forScreens: true })
        return findApiKey(tx, environment, id)
      },
    ),
  )
}

/** Makes a key and gives its id. */
export async function addApiKey(
  tx: Tx,
  notes: Notes,
  environment: LockedEnvironment,
  settings: Partial<SettingsRow> & { name: string },
): Promise<number> {
  if (await store.hasApiKeys(tx, environment, limits.apiKeysPerEnvironment)) throw invalid(sentences.tooManyApiKeys)
  const key = newApiKey()
  const context = { kind: "api-key", environmentId: environment.id, name: settings.name } as const
  const { id } = await store.insertApiKey(tx, environment, settings, {
    keyHash: hashToken(key),
    sealedKey: sealSecret(sealingKey(environment), key, context),
  })
  notes.grow({ collectionId: environment.collectionId }, { rows: 1, sealedBytes: 0 })
  return id
}

export function refusePastExpiry(expiresAt: string | null | undefined): void {
  if (expiresAt != null && Date.parse(expiresAt) <= Date.now()) throw invalid(sentences.expiryInPast)
}

/** As it is now, inside the change. */
export async function findApiKey(tx: Tx, { caller, dataKey }: LockedEnvironment, id: number): Promise<ApiKey> {
  const row = await store.apiKeyRow(tx, caller, id)
  if (row === undefined) throw notFound("API Key")
  return toApiKey(row, dataKey)
}

export async function deleteApiKey(core: Core, caller: Member, { id }: InputOf<typeof apiKeys.remove>): Promise<null> {
  if ((await store.apiKeyRow(core.db, caller, id)) === undefined) throw notFound("API Key")
  await deleteManyOfKey(core, id)
  return core.change(caller, "api-key.delete", async (tx, notes) => {
    const row = await store.deleteApiKey(tx, caller, id)
    if (row === undefined) throw notFound("API Key")
    const { environmentId, keyHash, name, collectionId } = row
    notes.about({ environmentId, apiKeyId: id, apiKeyName: name })
    notes.grow({ collectionId }, { rows: -1, sealedBytes: 0 })
    notes.invalidate({ environmentId, ends: { keyHash } })
    return null
  })
}

export async function listApiKeys(core: Core, caller: Member): Promise<ListedApiKey[]> {
  const environments = await keyedEnvironments(core.db, caller)
  const rows = await apiKeyRows(core.db, caller, environments)
  const byId = new Map(environments.map((environment) => [environment.id, environment]))
  const dataKeys = new Map<number, DataKey>()
  const listed: ListedApiKey[] = []
  for await (const row of withPauses(rows)) {
    const environment = byId.get(row.environmentId)
    if (environment === undefined) continue
    const { collectionId, wrappedKey, name, collectionName } = environment
    // Opened once for all API keys of a collection, also if it does not open: there may be a hundred thousand.
    if (!dataKeys.has(collectionId)) {
      dataKeys.set(collectionId, await core.vault.dataKey(core.db, collectionId, wrappedKey))
    }
    const key = toApiKey(row, dataKeys.get(collectionId))
    listed.push(Object.assign(key, { subCollectionName: name, collectionName }))
  }
  return listed
}

/** In pages: a caller may reach two hundred thousand environments without a key. */
export async function keyedEnvironments(db: Reader, caller: Member): Promise<store.KeyedEnvironment[]> {
  const all: store.KeyedEnvironment[] = []
  const pages = allPages((lastId) =>
    pageWithEnvironments(db, (count) => store.collectionIdsAfter(db, caller, { lastId, count })),
  )
  for await (const page of pages) {
    const collectionIds = page.map(({ id }) => id)
    for (const environment of await store.keyedEnvironments(db, caller, { collectionIds })) all.push(environment)
  }
  return all
}

export async function lastUseOf(
  { db }: Core,
  caller: Member,
  { id }: InputOf<typeof apiKeys.lastUse>,
): Promise<ApiKeyUse | null> {
  const row = await store.apiKeyRow(db, caller, id)
  if (row === undefined) throw notFound("API Key")
  const { lastUsedAt: at, lastUsedBy: by, lastUsedFrom: from } = row
  if (at === null) return null
  // Never negative, even if the clock was set back.
  const secondsAgo = Math.max(0, Math.round((Date.now() - at) / 1000))
  return { at: isoTime(at), by, from, secondsAgo }
}

/**
 * The API keys in scope by environment, sorted by id, as far as the caller's role lets them be seen. A damaged one is
 * shown as null, but still works.
 */
export async function apiKeysOf(
  db: Reader,
  member: Member,
  scope: Scope,
  dataKey: DataKey,
): Promise<Map<number, ApiKey[]>> {
  const caller = atLevel(member, "editor")
  const rows = await apiKeyRows(db, caller, await store.keyedEnvironments(db, caller, scope))
  return Map.groupBy(
    rows.map((row) => toApiKey(row, dataKey)),
    (key) => key.subCollectionId,
  )
}

const rowsPerBatch = 2_000

/** Sorted by id. An environment has a thousand keys at most, so as many environments at a time as have few enough. */
async function apiKeyRows(
  db: Reader,
  caller: Member,
  environments: readonly store.KeyedEnvironment[],
): Promise<store.ApiKeyRow[]> {
  const batches: number[][] = []
  let room = 0
  for (const { id, apiKeys } of environments) {
    if (apiKeys > room) {
      batches.push([])
      room = rowsPerBatch
    }
    batches.at(-1)?.push(id)
    room -= apiKeys
  }
  const rows: store.ApiKeyRow[] = []
  for await (const ids of withPauses(batches)) {
    for (const row of await store.apiKeyRows(db, caller, ids)) rows.push(row)
  }
  return rows.sort((one, other) => one.id - other.id)
}

/** The key is opened each time it is read. */
function toApiKey(row: store.ApiKeyRow, key: DataKey): ApiKey {
  const { name, environmentId, sealedKey } = row
  return {
    ...describeApiKey(row),
    get key() {
      return openSecret(key, sealedKey, { kind: "api-key", environmentId, name })
    },
  }
}

/** Everything but the key itself. */
export function describeApiKey(row: store.ApiKeyRow): Omit<ApiKey, "key"> {
  const { id, environmentId, createdAt, createdById, createdBy, disabledAt, replacedById } = row
  const { lastUsedAt, lastUsedBy, lastUsedFrom, lastRefusedAt } = row
  const time = (at: number | null) => (at === null ? null : isoTime(at))
  return {
    id,
    ...settingsOf(row),
    subCollectionId: environmentId,
    lastUsedAt: time(lastUsedAt),
    lastUsedBy,
    lastUsedFrom,
    lastRefusedAt: time(lastRefusedAt),
    createdAt: isoTime(createdAt),
    createdBy: createdById === null || createdBy === null ? null : { id: createdById, name: createdBy },
    isExpired: hasExpired({ expiresAt: row.expires_at }),
    disabledAt: time(disabledAt),
    replacedById,
  }
}
