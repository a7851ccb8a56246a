import type { KeyObject } from "node:crypto"
import type { Db, Reader } from "../db/schema.ts"
import { tableNames } from "../db/tables.ts"
import { readBridge } from "./root-key-bridge.ts"
import { type Bridge, canaryOpens, unwrapDataKey } from "./secrets.ts"

/** By what a root key is known to be a store's own. */
export interface Evidence {
  canary: Uint8Array | undefined
  bridge: Bridge | undefined
  /** A few collections' keys: a canary that is damaged, or gone, must not take the whole store along. */
  collections: WrappedKey[]
}

export interface WrappedKey {
  id: number
  wrapped: Uint8Array
}

/** How many collections are asked at most: one that opens is proof. */
export const enoughCollections = 100

/** Also of a store whose tables are older than this version, or not there yet. */
export async function readEvidence(db: Db): Promise<Evidence> {
  const there = await tableNames(db)
  return {
    canary: there.has("canary") ? await readCanary(db) : undefined,
    bridge: there.has("root_key_bridge") ? await readBridge(db) : undefined,
    collections: there.has("collection") ? await newestCollections(db) : [],
  }
}

export async function readCanary(db: Db): Promise<Uint8Array | undefined> {
  const row = await db.selectFrom("canary").select("sealed").where("id", "=", 1).executeTakeFirst()
  return row?.sealed
}

export function newestCollections(db: Reader): Promise<WrappedKey[]> {
  return db
    .selectFrom("collection")
    .select(["id", "data_key as wrapped"])
    .orderBy("id", "desc")
    .limit(enoughCollections)
    .execute()
}

/** True when there is nothing yet that a root key has sealed. */
export function isEmpty({ canary, collections }: Evidence): boolean {
  return canary === undefined && collections.length === 0
}

export function opensCanary(keys: readonly KeyObject[], { canary }: Pick<Evidence, "canary">): boolean {
  return canary !== undefined && keys.some((key) => canaryOpens(key, canary))
}

/** The key that opens the newest of these that can be opened at all. */
export function keyOfCollections(
  keys: readonly KeyObject[],
  collections: readonly WrappedKey[],
): KeyObject | undefined {
  for (const { id, wrapped } of collections) {
    const key = keys.find((one) => unwrapDataKey([one], id, wrapped) !== undefined)
    if (key !== undefined) return key
  }
  return undefined
}
