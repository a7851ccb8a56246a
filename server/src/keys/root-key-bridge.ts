import type { KeyObject } from "node:crypto"
import type { Db, Reader } from "../db/schema.ts"
import { type Bridge, crossBridge } from "./secrets.ts"

/** The row that stands in the store from the moment a new root key is decided on until no node needs the old one. */
export interface StoredBridge extends Bridge {
  begunAt: number
}

export async function readBridge(db: Reader): Promise<StoredBridge | undefined> {
  return db
    .selectFrom("root_key_bridge")
    .select(["next", "previous", "begun_at as begunAt"])
    .where("id", "=", 1)
    .executeTakeFirst()
}

/** Only the first one stands: whoever comes second goes on with that one. */
export async function insertBridge(db: Db, { next, previous, begunAt }: StoredBridge): Promise<void> {
  await db
    .insertInto("root_key_bridge")
    .values({ id: 1, next, previous, begun_at: begunAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Not one that somebody else has begun since. */
export async function deleteBridge(db: Db, bridge: Bridge): Promise<void> {
  await db.deleteFrom("root_key_bridge").where("id", "=", 1).where("next", "=", bridge.next).execute()
}

/** These keys and, where one of them leads over the bridge, the key on its other side; the next one first. */
export function withBridge(keys: readonly KeyObject[], bridge: Bridge | undefined): KeyObject[] {
  if (bridge === undefined) return [...keys]
  for (const key of keys) {
    const both = crossBridge(key, bridge)
    if (both !== undefined) return distinct([both.next, both.previous, ...keys])
  }
  return [...keys]
}

export function distinct(keys: readonly KeyObject[]): KeyObject[] {
  return keys.filter((key, at) => keys.findIndex((other) => other.equals(key)) === at)
}
