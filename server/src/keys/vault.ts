import type { KeyObject } from "node:crypto"
import { sentences } from "@envkeep/contract"
import type { Reader } from "../db/schema.ts"
import { AppError } from "../errors.ts"
import { distinct, readBridge, withBridge } from "./root-key-bridge.ts"
import { fitStore, newestCollections, readCanary, rootKeyOfCollections } from "./root-key-evidence.ts"
import { seal, unseal } from "./seal.ts"
import { canaryOpens, chainContext, type KeyContext, newWrappedKey, unwrapKey, type Vault } from "./secrets.ts"

/**
 * The vault of a running server. The root key can be replaced while the server runs: if the known keys do not open
 * something, the vault looks for new ones in the store's bridge and then in the configured location (`readConfigured`).
 * The order matters: the bridge is removed only after the new key is in that location.
 */
export function createVault(known: KeyObject[], readConfigured: () => Promise<KeyObject | undefined>): Vault {
  let rootKeys = known
  return {
    dataKey: (db, collectionId, wrapped) => unwrap(db, ["collection", collectionId], wrapped),
    newDataKey: (tx, collectionId) => wrapNew(tx, ["collection", collectionId]),
    chainKey: (db, wrapped) => unwrap(db, chainContext, wrapped),
    newChainKey: (tx) => wrapNew(tx, chainContext),
    totpSecret: (db, userId, wrapped) => unwrap(db, ["totp", userId], wrapped),
    newTotpSecret: (tx, userId) => wrapNew(tx, ["totp", userId]),
    sealText: async (tx, text, context) => seal(await currentKey(tx), text, context),
    openText: async (db, sealed, context) =>
      (await openBy(db, () => unsealWith(rootKeys, sealed, context)))?.toString("utf8"),
    async fitsStore(db) {
      if (await fitStore(db, rootKeys)) return true
      await findNewKeys(db)
      return fitStore(db, rootKeys)
    },
  }

  function unwrap(db: Reader, context: KeyContext, wrapped: Uint8Array): Promise<KeyObject | undefined> {
    return openBy(db, () => unwrapKey(rootKeys, context, wrapped))
  }

  async function openBy<Opened>(db: Reader, open: () => Opened | undefined): Promise<Opened | undefined> {
    const opened = open()
    if (opened !== undefined) return opened
    await findNewKeys(db)
    const openedSince = open()
    // With a wrong root key no collection opens. To call that damage would make people restore an old backup.
    if (openedSince === undefined && !(await fitStore(db, rootKeys))) throw rootKeyWrong()
    return openedSince
  }

  async function wrapNew(tx: Reader, context: KeyContext): Promise<Buffer> {
    return newWrappedKey(await currentKey(tx), context)
  }

  async function currentKey(tx: Reader): Promise<KeyObject> {
    const canary = await readCanary(tx, "for share")
    const isCurrent = (key: KeyObject) => canary !== undefined && canaryOpens(key, canary)
    if (!rootKeys.some(isCurrent)) await findNewKeys(tx)
    // If the canary is damaged, the newest collection shows the current key. It stays current: the canary is locked.
    const current = rootKeys.find(isCurrent) ?? rootKeyOfCollections(rootKeys, await newestCollections(tx))
    if (current === undefined) throw rootKeyWrong()
    return current
  }

  async function findNewKeys(db: Reader): Promise<void> {
    const bridge = await readBridge(db)
    const configured = await readConfigured()
    rootKeys = withBridge(configured === undefined ? rootKeys : distinct([configured, ...rootKeys]), bridge)
  }
}

function unsealWith(keys: readonly KeyObject[], sealed: Uint8Array, context: readonly string[]): Buffer | undefined {
  for (const key of keys) {
    const opened = unseal(key, sealed, context)
    if (opened !== undefined) return opened
  }
  return undefined
}

/** The vault of a command, which ends before the root key can be replaced. */
export function vaultOf(rootKeys: KeyObject[]): Vault {
  return createVault(rootKeys, async () => undefined)
}

const rootKeyWrong = () => new AppError("unavailable", sentences.rootKeyWrong)
