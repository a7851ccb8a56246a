import { type KeyObject, randomBytes } from "node:crypto"
import type { Reader } from "../db/schema.ts"
import { keyOf, seal, unseal } from "./seal.ts"

/** Holds the root key. Everything secret goes through the key of its collection, which the root key wraps. */
export interface Vault {
  /** Opens the wrapped key of a collection, also when the root key was replaced since the server was started. */
  dataKey(db: Reader, collectionId: number, wrapped: Uint8Array): Promise<DataKey>
  /** A key for a new collection, wrapped under what is the root key when the transaction commits. */
  newDataKey(tx: Reader, collectionId: number): Promise<Buffer>
}

/** The key of one collection, unwrapped, or nothing when its wrapping is damaged. */
export type DataKey = KeyObject | undefined

export function newDataKey(rootKey: KeyObject, collectionId: number): Buffer {
  return seal(rootKey, randomBytes(32), ["collection", collectionId])
}

export function unwrapDataKey(rootKeys: readonly KeyObject[], collectionId: number, wrapped: Uint8Array): DataKey {
  for (const rootKey of rootKeys) {
    const bytes = unseal(rootKey, wrapped, ["collection", collectionId])
    if (bytes !== undefined) return keyOf(bytes)
  }
  return undefined
}

/** The same key of the same collection under another root key, or nothing when `from` did not wrap it. */
export function rewrapDataKey(
  { from, to }: { from: KeyObject; to: KeyObject },
  collectionId: number,
  wrapped: Uint8Array,
): Buffer | undefined {
  const bytes = unseal(from, wrapped, ["collection", collectionId])
  return bytes && seal(to, bytes, ["collection", collectionId])
}

/** Where a secret stands: bound into its seal, so that rows cannot be swapped. */
export interface Place {
  kind: "item" | "api-key"
  environmentId: number
  name: string
}

export function sealSecret(key: KeyObject, secret: string, place: Place): Buffer {
  return seal(key, secret, [place.kind, place.environmentId, place.name])
}

/** The secret, or null when its row (or its collection's key) is damaged: one row's failure, never its neighbours'. */
export function openSecret(key: DataKey, sealed: Uint8Array, place: Place): string | null {
  if (key === undefined) return null
  return unseal(key, sealed, [place.kind, place.environmentId, place.name])?.toString("utf8") ?? null
}

const canaryContext = ["canary"]

export function newCanary(rootKey: KeyObject): Buffer {
  return seal(rootKey, "envkeep", canaryContext)
}

export function canaryOpens(rootKey: KeyObject, canary: Uint8Array): boolean {
  return unseal(rootKey, canary, canaryContext) !== undefined
}

/** While the root key is being replaced, whoever holds either of the two keys can find the other one. */
export interface Bridge {
  /** The next root key, sealed under the one before it. */
  next: Uint8Array
  /** The root key before it, sealed under the next one. */
  previous: Uint8Array
}

export function newBridge(previous: KeyObject, next: KeyObject): Bridge {
  return {
    next: seal(previous, next.export(), ["root key", "next"]),
    previous: seal(next, previous.export(), ["root key", "previous"]),
  }
}

/** Both root keys, for the holder of one; nothing for the holder of neither. */
export function crossBridge(rootKey: KeyObject, bridge: Bridge): { previous: KeyObject; next: KeyObject } | undefined {
  const next = unseal(rootKey, bridge.next, ["root key", "next"])
  if (next !== undefined) return { previous: rootKey, next: keyOf(next) }
  const previous = unseal(rootKey, bridge.previous, ["root key", "previous"])
  return previous && { previous: keyOf(previous), next: rootKey }
}
