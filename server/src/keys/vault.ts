import type { KeyObject } from "node:crypto"
import { sentences } from "@envkeep/contract"
import { locksRows } from "../db/engine.ts"
import type { Reader } from "../db/schema.ts"
import { AppError } from "../errors.ts"
import { distinct, readBridge, withBridge } from "./root-key-bridge.ts"
import { keyOfCollections, newestCollections } from "./root-key-evidence.ts"
import { canaryOpens, newDataKey, unwrapDataKey, type Vault } from "./secrets.ts"

/**
 * The vault of a running server. The root key can be replaced meanwhile: what the known keys do not open sends it to look
 * for new ones, in the store's bridge and then where its own came from (`readOwn`). In this order: the bridge goes only
 * once the new key is in its place.
 */
export function createVault(known: KeyObject[], readOwn: () => Promise<KeyObject | undefined>): Vault {
  let rootKeys = known
  return {
    async dataKey(db, collectionId, wrapped) {
      const opened = unwrapDataKey(rootKeys, collectionId, wrapped)
      if (opened !== undefined) return opened
      await lookForKeys(db)
      return unwrapDataKey(rootKeys, collectionId, wrapped)
    },
    async newDataKey(tx, collectionId) {
      const canary = await holdCanary(tx)
      const isCurrent = (key: KeyObject) => canary !== undefined && canaryOpens(key, canary)
      if (!rootKeys.some(isCurrent)) await lookForKeys(tx)
      // Where the canary is damaged, the newest collection tells: the canary's row is held, so nobody switches meanwhile.
      const current = rootKeys.find(isCurrent) ?? keyOfCollections(rootKeys, await newestCollections(tx))
      if (current === undefined) throw new AppError("unavailable", sentences.rootKeyWrong)
      return newDataKey(current, collectionId)
    },
  }

  async function lookForKeys(db: Reader): Promise<void> {
    const bridge = await readBridge(db)
    const own = await readOwn()
    rootKeys = withBridge(own === undefined ? rootKeys : distinct([own, ...rootKeys]), bridge)
  }
}

/** Until the transaction ends, the canary stays as it is, and with it which root key is the one to wrap under. */
async function holdCanary(tx: Reader): Promise<Uint8Array | undefined> {
  const row = await tx
    .selectFrom("canary")
    .select("sealed")
    .where("id", "=", 1)
    .$if(locksRows(tx), (query) => query.forShare())
    .executeTakeFirst()
  return row?.sealed
}
