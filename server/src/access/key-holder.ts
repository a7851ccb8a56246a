import { type KeyRefusal, type KeySettings, sentences } from "@envkeep/contract"
import type { Selectable } from "kysely"
import { byParents } from "../bounds/batches.ts"
import type { Reader, Schema } from "../db/schema.ts"
import { AppError } from "../errors.ts"
import { isoTime } from "../iso-time.ts"
import { type AddressRanges, addressRanges } from "./address-ranges.ts"
import type { KeyCaller } from "./caller.ts"
import { isShared } from "./reach.ts"

// All that a property of keys needs beside its column and its place in the contract: the first part stores and shows it,
// the second checks it at each use.

const stored = ["name", "expires_at", "allowed_addresses", "note"] as const

export type SettingsRow = Pick<Selectable<Schema["api_key"]>, (typeof stored)[number]>

export const settingColumns = stored.map((column) => `api_key.${column}` as const)

/** Of a row that has other columns too: what a key that replaces it gets. */
export function storedSettings({ name, expires_at, allowed_addresses, note }: SettingsRow): SettingsRow {
  return { name, expires_at, allowed_addresses, note }
}

export function settingsOf({ name, expires_at, allowed_addresses, note }: SettingsRow): KeySettings {
  return {
    name,
    expiresAt: expires_at === null ? null : isoTime(expires_at),
    allowedAddresses: listed(allowed_addresses),
    note,
  }
}

type WantedSettings = { [Setting in keyof KeySettings]?: KeySettings[Setting] | undefined }

/** What is not wanted is left out. */
export function toSettingsRow(wanted: WantedSettings): Partial<SettingsRow> {
  const { name, expiresAt, allowedAddresses, note, ...forgotten } = wanted
  // The compiler names a setting that is not stored.
  forgotten satisfies Record<string, never>
  return {
    ...(name === undefined ? {} : { name }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt === null ? null : Date.parse(expiresAt) }),
    ...(allowedAddresses === undefined ? {} : { allowed_addresses: allowedAddresses.join(" ") }),
    ...(note === undefined ? {} : { note }),
  }
}

function listed(allowedAddresses: string): string[] {
  return allowedAddresses === "" ? [] : allowedAddresses.split(" ")
}

/** What an API key opens, and what must be checked before each use, also when memory answers. */
export interface KeyHolder {
  keyHash: string
  keyId: number
  environmentId: number
  collectionId: number
  /** Who pays for the collection. */
  ownerId: number
  /** When the owner's account was disabled, if the collection is not shared: with others in it, its keys go on. */
  ownerDisabledAt: number | null
  disabledAt: number | null
  expiresAt: number | null
  /** Undefined if it can be used from everywhere. */
  allowed: AddressRanges | undefined
}

/**
 * The only check of a key, made each time it is used: after a query, before an answer from memory, and before a stale
 * answer. A key that may not be used gets the same answer as one that never existed.
 */
export function mayUse(holder: KeyHolder | undefined, caller: KeyCaller): holder is KeyHolder {
  return holder !== undefined && refusalOf(holder, caller) === undefined
}

function refusalOf(holder: KeyHolder, caller: KeyCaller): KeyRefusal | "owner" | undefined {
  if (holder.ownerDisabledAt !== null) return "owner"
  if (holder.disabledAt !== null) return "disabled"
  if (hasExpired(holder)) return "expired"
  return holder.allowed === undefined || isInside(caller, holder.allowed) ? undefined : "address"
}

export function hasExpired({ expiresAt }: Pick<KeyHolder, "expiresAt">): boolean {
  return expiresAt !== null && expiresAt <= Date.now()
}

/** Compared once for all reads of a caller: the quick path has one for each connection. */
function isInside(caller: KeyCaller, ranges: AddressRanges): boolean {
  if (caller.lastComparison?.ranges !== ranges) caller.lastComparison = { ranges, isInside: ranges.has(caller.ip) }
  return caller.lastComparison.isInside
}

/** A use of a key that was refused. Without a reason if the key does not exist, or its owner's account is disabled. */
export interface RefusedUse {
  caller: KeyCaller
  keyId: number | undefined
  reason: KeyRefusal | undefined
}

export function badKey(): AppError {
  return new AppError("unauthenticated", sentences.badApiKey)
}

/** The environment that a key opens, and what is needed to read it. */
export interface KeyEnvironment {
  holder: KeyHolder
  keyName: string
  environmentName: string
  collectionName: string
  revision: number
  /** What it inherits from. */
  baseId: number | null
  /** How much there is to read, without what it inherits. */
  sealedBytes: number
  wrappedKey: Uint8Array
  lastUsedAt: number | null
}

/**
 * A key that is malformed, deleted, expired, of a disabled account, or never existed is refused at the same cost and with
 * the same sentence. `refused` is told why.
 */
export async function findKeyEnvironment(
  db: Reader,
  caller: KeyCaller,
  refused: (use: RefusedUse) => void,
): Promise<KeyEnvironment> {
  const row = await keysWithEnvironments(db)
    .select([
      "api_key.name as keyName",
      "environment.name as environmentName",
      "environment.sealed_bytes as sealedBytes",
      "environment.base_id as baseId",
      "collection.name as collectionName",
      "collection.data_key as wrappedKey",
      "api_key.last_used_at as lastUsedAt",
    ])
    .where("api_key.key_hash", "=", caller.keyHash)
    .executeTakeFirst()
  const holder = row && holderOf(row)
  if (row !== undefined && mayUse(holder, caller)) return { ...row, holder }
  const refusal = holder && refusalOf(holder, caller)
  refused({ caller, keyId: holder?.keyId, reason: refusal === "owner" ? undefined : refusal })
  throw badKey()
}

const keysPerStatement = 512

/** The holders of these keys and the revisions of their environments, by key hash. A deleted key is not among them. */
export async function findHolders(
  db: Reader,
  keyHashes: readonly string[],
): Promise<Map<string, { holder: KeyHolder; revision: number }>> {
  const rows = await byParents(keyHashes, keysPerStatement, (some) =>
    keysWithEnvironments(db).where("api_key.key_hash", "in", paddedToPowerOfTwo(some)).execute(),
  )
  return new Map(rows.map((row) => [row.keyHash, { holder: holderOf(row), revision: row.revision }]))
}

/** So that there are few different statements, which the engines prepare once. */
function paddedToPowerOfTwo(keyHashes: readonly string[]): string[] {
  const length = 2 ** Math.ceil(Math.log2(keyHashes.length))
  return Array.from({ length }, (_, index) => keyHashes[index] ?? keyHashes[0] ?? "")
}

function keysWithEnvironments(db: Reader) {
  return (
    db
      .selectFrom("api_key")
      .innerJoin("environment", "environment.id", "api_key.environment_id")
      .innerJoin("collection", "collection.id", "environment.collection_id")
      .innerJoin("user", "user.id", "collection.owner_id")
      .select((eb) => [
        "environment.revision",
        ...holderColumns,
        eb.case().when(isShared()).then(null).else(eb.ref("user.disabled_at")).end().as("ownerDisabledAt"),
      ])
      // A key of what is in the trash does not exist until that is restored.
      .where("environment.trashed_at", "is", null)
      .where("collection.trashed_at", "is", null)
  )
}

// To add a property that must be checked, add it to `KeyHolder`, to these columns, and to `refusalOf`.
const holderColumns = [
  "api_key.key_hash as keyHash",
  "api_key.id as keyId",
  "api_key.disabled_at as disabledAt",
  "api_key.expires_at as expiresAt",
  "api_key.allowed_addresses as allowedAddresses",
  "environment.id as environmentId",
  "environment.collection_id as collectionId",
  "collection.owner_id as ownerId",
] as const

function holderOf(row: Omit<KeyHolder, "allowed"> & { allowedAddresses: string }): KeyHolder {
  const { keyHash, keyId, environmentId, collectionId, ownerId, ownerDisabledAt, disabledAt, expiresAt } = row
  const addresses = listed(row.allowedAddresses)
  const allowed = addresses.length === 0 ? undefined : addressRanges(addresses)
  return { keyHash, keyId, environmentId, collectionId, ownerId, ownerDisabledAt, disabledAt, expiresAt, allowed }
}

/** Of these keys, those that are not deleted. */
export async function existingKeys(db: Reader, ids: readonly number[]): Promise<Set<number>> {
  const rows = await db.selectFrom("api_key").select("id").where("id", "in", ids).execute()
  return new Set(rows.map(({ id }) => id))
}
