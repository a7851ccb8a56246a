import type { KeyObject } from "node:crypto"
import { locksRows } from "../db/engine.ts"
import type { Db, Reader } from "../db/schema.ts"
import { tableNames } from "../db/stored-tables.ts"
import { readBridge } from "./root-key-bridge.ts"
import { type Bridge, canaryOpens, unwrapDataKey } from "./secrets.ts"

/** What shows whether a root key belongs to a store. */
export interface Evidence {
  canary: Uint8Array | undefined
  bridge: Bridge | undefined
  /** Keys of some collections: if the canary is damaged or missing, the store must still open. */
  collections: WrappedKey[]
}

export interface WrappedKey {
  id: number
  wrapped: Uint8Array
}

/** Enough to find one that is not damaged, and a single one that opens is proof. */
export const maxEvidenceCollections = 100

/** Works even if the tables are older than this version or do not exist yet. */
export async function readEvidence(db: Db): Promise<Evidence> {
  const tables = await tableNames(db)
  return {
    canary: tables.has("canary") ? await readCanary(db) : undefined,
    bridge: tables.has("root_key_bridge") ? await readBridge(db) : undefined,
    collections: tables.has("collection") ? await newestCollections(db) : [],
  }
}

/** With a lock, the canary cannot change before the transaction ends. SQLite's transaction is a lock itself. */
export async function readCanary(db: Reader, lock?: "for share" | "for update"): Promise<Uint8Array | undefined> {
  const row = await db
    .selectFrom("canary")
    .select("sealed")
    .where("id", "=", 1)
    .$if(lock === "for share" && locksRows(db), (query) => query.forShare())
    .$if(lock === "for update" && locksRows(db), (query) => query.forUpdate())
    .executeTakeFirst()
  return row?.sealed
}

export function newestCollections(db: Reader): Promise<WrappedKey[]> {
  return db
    .selectFrom("collection")
    .select(["id", "data_key as wrapped"])
    .orderBy("id", "desc")
    .limit(maxEvidenceCollections)
    .execute()
}

/** True if no root key has sealed anything yet. */
export function isEmpty({ canary, collections }: Pick<Evidence, "canary" | "collections">): boolean {
  return canary === undefined && collections.length === 0
}

export function opensCanary(keys: readonly KeyObject[], { canary }: Pick<Evidence, "canary">): boolean {
  return canary !== undefined && keys.some((key) => canaryOpens(key, canary))
}

/** Whether these keys belong to the store. The collections are read only if the canary does not show it. */
export async function fitStore(db: Reader, keys: readonly KeyObject[]): Promise<boolean> {
  const canary = await readCanary(db)
  if (opensCanary(keys, { canary })) return true
  const collections = await newestCollections(db)
  return isEmpty({ canary, collections }) || rootKeyOfCollections(keys, collections) !== undefined
}

/** The key that opens the first of these collections that any key opens. */
export function rootKeyOfCollections(
  keys: readonly KeyObject[],
  collections: readonly WrappedKey[],
): KeyObject | undefined {
  for (const { id, wrapped } of collections) {
    const key = keys.find((one) => unwrapDataKey([one], id, wrapped) !== undefined)
    if (key !== undefined) return key
  }
  return undefined
}
