import { type KeyObject, randomBytes } from "node:crypto"
import { keyOf, seal, unseal } from "./seal.ts"

/** Holds the root key. Everything secret goes through the key of its collection, which the vault wraps. */
export interface Vault {
  rootKey: KeyObject
}

export function vaultOf(rootKey: Uint8Array): Vault {
  return { rootKey: keyOf(rootKey) }
}

/** The key of one collection, unwrapped, or nothing when its wrapping is damaged. */
export type DataKey = KeyObject | undefined

export function newDataKey(vault: Vault, collectionId: number): Buffer {
  return seal(vault.rootKey, randomBytes(32), ["collection", collectionId])
}

export function unwrapDataKey(vault: Vault, collectionId: number, wrapped: Uint8Array): DataKey {
  const bytes = unseal(vault.rootKey, wrapped, ["collection", collectionId])
  return bytes && keyOf(bytes)
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

export function newCanary(vault: Vault): Buffer {
  return seal(vault.rootKey, "envkeep", canaryContext)
}

export function canaryOpens(vault: Vault, canary: Uint8Array): boolean {
  return unseal(vault.rootKey, canary, canaryContext) !== undefined
}
