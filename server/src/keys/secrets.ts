import { type KeyObject, randomBytes } from "node:crypto"
import type { Reader } from "../db/schema.ts"
import { keyOf, seal, unseal } from "./seal.ts"

/** Keeps the root key, which wraps one key per collection. Each secret is sealed under the key of its collection. */
export interface Vault {
  /**
   * Opens the wrapped key of a collection, even if the root key was replaced after the server started. Throws if the
   * server has another root key than the store: then nothing is damaged.
   */
  dataKey(db: Reader, collectionId: number, wrapped: Uint8Array): Promise<DataKey>
  /** A key for a new collection, wrapped under the root key that is current when the transaction commits. */
  newDataKey(tx: Reader, collectionId: number): Promise<Buffer>
  /** The same for the key of the audit trail's chain. */
  chainKey(db: Reader, wrapped: Uint8Array): Promise<KeyObject | undefined>
  newChainKey(tx: Reader): Promise<Buffer>
  /** The same for the secret that the user's authenticator app shares with the server. */
  totpSecret(db: Reader, userId: number, wrapped: Uint8Array): Promise<KeyObject | undefined>
  newTotpSecret(tx: Reader, userId: number): Promise<Buffer>
  /** Seals what belongs to no collection, under the root key that is current when the transaction commits. */
  sealText(tx: Reader, text: string, context: TextContext): Promise<Buffer>
  /** Undefined if it is damaged. Throws if the server has another root key than the store. */
  openText(db: Reader, sealed: Uint8Array, context: TextContext): Promise<string | undefined>
  /** False while the server has another root key than the store. Looks for the right one each time. */
  fitsStore(db: Reader): Promise<boolean>
}

/** The unwrapped key of one collection, or undefined if it is damaged. */
export type DataKey = KeyObject | undefined

/** What a wrapped key is for. It is bound into the seal. */
export type KeyContext = readonly ["collection", number] | readonly ["totp", number] | readonly ["audit chain"]

export const chainContext = ["audit chain"] as const

/** What a text under the root key is for: a mail of the queue. */
export type TextContext = readonly ["mail", string]

/** The key of an authenticator app is as long as RFC 4226 wants it, so that people can type it. */
export function newWrappedKey(rootKey: KeyObject, context: KeyContext): Buffer {
  return seal(rootKey, randomBytes(context[0] === "totp" ? 20 : 32), context)
}

export function unwrapKey(
  rootKeys: readonly KeyObject[],
  context: KeyContext,
  wrapped: Uint8Array,
): KeyObject | undefined {
  for (const rootKey of rootKeys) {
    const bytes = unseal(rootKey, wrapped, context)
    if (bytes !== undefined) return keyOf(bytes)
  }
  return undefined
}

export function unwrapDataKey(rootKeys: readonly KeyObject[], collectionId: number, wrapped: Uint8Array): DataKey {
  return unwrapKey(rootKeys, ["collection", collectionId], wrapped)
}

/** Wraps a key, or seals a text, under another root key. Undefined if it was not sealed under `from`. */
export function rewrapKey(
  { from, to }: { from: KeyObject; to: KeyObject },
  context: KeyContext | TextContext,
  wrapped: Uint8Array,
): Buffer | undefined {
  const bytes = unseal(from, wrapped, context)
  return bytes && seal(to, bytes, context)
}

/** What a secret belongs to. It is bound into the seal, so that sealed values cannot be swapped between rows. */
export type SealContext =
  | { kind: "item" | "api-key"; environmentId: number; name: string }
  | { kind: "webhook-url" | "webhook-secret"; webhookId: number }

export function sealSecret(key: KeyObject, secret: string, context: SealContext): Buffer {
  return seal(key, secret, partsOf(context))
}

/** The secret, or null if its row or its collection's key is damaged. Other rows stay readable. */
export function openSecret(key: DataKey, sealed: Uint8Array, context: SealContext): string | null {
  if (key === undefined) return null
  return unseal(key, sealed, partsOf(context))?.toString("utf8") ?? null
}

function partsOf(context: SealContext): (string | number)[] {
  return "webhookId" in context
    ? [context.kind, context.webhookId]
    : [context.kind, context.environmentId, context.name]
}

const canaryContext = ["canary"]

export function newCanary(rootKey: KeyObject): Buffer {
  return seal(rootKey, "envkeep", canaryContext)
}

export function canaryOpens(rootKey: KeyObject, canary: Uint8Array): boolean {
  return unseal(rootKey, canary, canaryContext) !== undefined
}

/** While the root key is being replaced, a server that has one of the two keys can find the other. */
export interface Bridge {
  /** The next root key, sealed under the previous one. */
  next: Uint8Array
  /** The previous root key, sealed under the next one. */
  previous: Uint8Array
}

export function newBridge(previous: KeyObject, next: KeyObject): Bridge {
  return {
    next: seal(previous, next.export(), ["root key", "next"]),
    previous: seal(next, previous.export(), ["root key", "previous"]),
  }
}

/** Both root keys if `rootKey` is one of them, else undefined. */
export function crossBridge(rootKey: KeyObject, bridge: Bridge): { previous: KeyObject; next: KeyObject } | undefined {
  const next = unseal(rootKey, bridge.next, ["root key", "next"])
  if (next !== undefined) return { previous: rootKey, next: keyOf(next) }
  const previous = unseal(rootKey, bridge.previous, ["root key", "previous"])
  return previous && { previous: keyOf(previous), next: rootKey }
}
