import type { KeyObject } from "node:crypto"
import type { Db, Reader } from "../db/schema.ts"
import { type Bridge, crossBridge } from "./secrets.ts"

/** Stored from the start of a rotation until no node needs the old root key any more. */
export interface StoredBridge extends Bridge {
  startedAt: number
}

export async function readBridge(db: Reader): Promise<StoredBridge | undefined> {
  return db
    .selectFrom("root_key_bridge")
    .select(["next", "previous", "begun_at as startedAt"])
    .where("id", "=", 1)
    .executeTakeFirst()
}

/** Does nothing if there is one already: a second rotation continues the first. */
export async function insertBridge(db: Db, { next, previous, startedAt }: StoredBridge): Promise<void> {
  await db
    .insertInto("root_key_bridge")
    .values({ id: 1, next, previous, begun_at: startedAt })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Leaves a bridge alone that another rotation has stored since. */
export async function deleteBridge(db: Db, bridge: Bridge): Promise<void> {
  await db.deleteFrom("root_key_bridge").where("id", "=", 1).where("next", "=", bridge.next).execute()
}

/** These keys and, if one of them opens the bridge, the key on the other side. The next root key comes first. */
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
