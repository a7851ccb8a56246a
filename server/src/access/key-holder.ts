import { sentences } from "@envkeep/contract"
import type { Reader } from "../db/schema.ts"
import { AppError } from "../errors.ts"
import type { KeyCaller } from "./caller.ts"

/** What an API key opens, and what must be checked before it does. Memory keeps these, not just the ids. */
export interface KeyHolder {
  keyHash: string
  environmentId: number
  collectionId: number
}

/**
 * The one check of a key, made each time it is used: on what the database has found, on what memory holds, and on what
 * is served while the database is away. A key that may not be used answers like one that was never made.
 */
export function mayUse(holder: KeyHolder | undefined): holder is KeyHolder {
  return holder !== undefined
}

export function badKey(): AppError {
  return new AppError("unauthenticated", sentences.badApiKey)
}

/** The environment that a key opens, by name, with what is needed to read it. */
export interface HeldEnvironment {
  holder: KeyHolder
  keyName: string
  environmentName: string
  collectionName: string
  revision: number
  wrappedKey: Uint8Array
}

/** Refuses a key that is malformed, deleted or was never made: all at the same cost and in the same words. */
export async function findHeldEnvironment(db: Reader, { keyHash }: KeyCaller): Promise<HeldEnvironment> {
  const row = await heldEnvironments(db)
    .innerJoin("collection", "collection.id", "environment.collection_id")
    .select([
      "api_key.name as keyName",
      "environment.name as environmentName",
      "collection.name as collectionName",
      "collection.data_key as wrappedKey",
    ])
    .where("api_key.key_hash", "=", keyHash)
    .executeTakeFirst()
  const holder = row && holderOf(row)
  if (row === undefined || !mayUse(holder)) throw badKey()
  return { ...row, holder }
}

/** The environment's revision and the holders of its keys by their hash; nothing when no key is left. */
export async function holdersOf(
  db: Reader,
  environmentId: number,
): Promise<{ revision: number; holders: Map<string, KeyHolder> } | undefined> {
  const rows = await heldEnvironments(db).where("environment.id", "=", environmentId).execute()
  const [first] = rows
  if (first === undefined) return undefined
  return { revision: first.revision, holders: new Map(rows.map((row) => [row.keyHash, holderOf(row)])) }
}

function heldEnvironments(db: Reader) {
  return db
    .selectFrom("api_key")
    .innerJoin("environment", "environment.id", "api_key.environment_id")
    .select(["environment.revision", ...holderColumns])
}

// A property of keys that must be checked is added to these three: the interface, its columns and `mayUse`.
const holderColumns = [
  "api_key.key_hash as keyHash",
  "environment.id as environmentId",
  "environment.collection_id as collectionId",
] as const

function holderOf({ keyHash, environmentId, collectionId }: KeyHolder): KeyHolder {
  return { keyHash, environmentId, collectionId }
}
