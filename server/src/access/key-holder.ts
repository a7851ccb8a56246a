import { type KeySettings, sentences } from "@envkeep/contract"
import type { Selectable } from "kysely"
import type { Reader, Schema } from "../db/schema.ts"
import { AppError } from "../errors.ts"
import type { KeyCaller } from "./caller.ts"
import { isShared } from "./reach.ts"

// All that a property of keys needs beside its column and its place in the contract: the first part stores and shows it,
// the second checks it at each use.

export const settingColumns = ["api_key.name"] as const

export type SettingsRow = Pick<Selectable<Schema["api_key"]>, "name">

export function settingsOf({ name }: SettingsRow): KeySettings {
  return { name }
}

export function toSettingsRow({ name }: KeySettings): SettingsRow {
  return { name }
}

/** What an API key opens, and what must be checked before each use, also when memory answers. */
export interface KeyHolder {
  keyHash: string
  environmentId: number
  collectionId: number
  /** When the owner's account was disabled, if the collection is not shared: with others in it, its keys go on. */
  ownerDisabledAt: number | null
}

/**
 * The only check of a key, made each time it is used: after a query, before an answer from memory, and before a stale
 * answer. A key that may not be used gets the same answer as one that never existed.
 */
export function mayUse(holder: KeyHolder | undefined): holder is KeyHolder {
  return holder !== undefined && holder.ownerDisabledAt === null
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

/** A key that is malformed, deleted, of a disabled account, or never existed is refused at the same cost and with the same sentence. */
export async function findKeyEnvironment(db: Reader, { keyHash }: KeyCaller): Promise<KeyEnvironment> {
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
    .where("api_key.key_hash", "=", keyHash)
    .executeTakeFirst()
  const holder = row && holderOf(row)
  if (row === undefined || !mayUse(holder)) throw badKey()
  return { ...row, holder }
}

const keysPerStatement = 512

/** The holders of these keys and the revisions of their environments, by key hash. A deleted key is not among them. */
export async function findHolders(
  db: Reader,
  keyHashes: readonly string[],
): Promise<Map<string, { holder: KeyHolder; revision: number }>> {
  const found = new Map<string, { holder: KeyHolder; revision: number }>()
  for (let start = 0; start < keyHashes.length; start += keysPerStatement) {
    const batch = paddedToPowerOfTwo(keyHashes.slice(start, start + keysPerStatement))
    const rows = await keysWithEnvironments(db).where("api_key.key_hash", "in", batch).execute()
    for (const row of rows) found.set(row.keyHash, { holder: holderOf(row), revision: row.revision })
  }
  return found
}

/** So that there are few different statements, which the engines prepare once. */
function paddedToPowerOfTwo(keyHashes: string[]): string[] {
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

// To add a property that must be checked, add it to `KeyHolder`, to these columns, and to `mayUse`.
const holderColumns = [
  "api_key.key_hash as keyHash",
  "environment.id as environmentId",
  "environment.collection_id as collectionId",
] as const

function holderOf({ keyHash, environmentId, collectionId, ownerDisabledAt }: KeyHolder): KeyHolder {
  return { keyHash, environmentId, collectionId, ownerDisabledAt }
}
