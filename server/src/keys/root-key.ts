import { type KeyObject, randomBytes } from "node:crypto"
import { readFile, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { parseRootKey } from "../config.ts"
import { makeFile, makeFolder, writeThrough } from "../db/data-folder.ts"
import type { Db } from "../db/schema.ts"
import { exitCodes, StartError } from "../start/start-error.ts"
import { readBridge, withBridge } from "./root-key-bridge.ts"
import { type Evidence, isEmpty, keyOfCollections, opensCanary, readCanary, readEvidence } from "./root-key-evidence.ts"
import { keyOf } from "./seal.ts"
import { newCanary, type Vault } from "./secrets.ts"
import { createVault } from "./vault.ts"

export interface Where {
  /** From the settings; otherwise the key is a file in the data folder. */
  rootKey: Uint8Array | undefined
  dataDir: string
}

/** Says something to whoever started the server. */
type Tell = (line: string) => void

export const rootKeyFile = "root.key"

/** Old root keys stay beside the new one, since older backups need them. */
export const keptKeyPrefix = `${rootKeyFile}.until-`

/**
 * Refuses a root key that does not fit the store before anything is touched, the tables included. Tells nothing when the
 * store is empty or not there yet.
 */
export async function checkRootKey(db: Db, where: Where): Promise<void> {
  const evidence = await readEvidence(db)
  if (!isEmpty(evidence)) await fittingRootKeys(where, evidence, "store")
}

/** The root key of these settings, and over the bridge the other one; refuses keys that are not the evidence's. */
export async function fittingRootKeys(
  where: Where,
  evidence: Evidence,
  whose: "store" | "backup",
): Promise<KeyObject[]> {
  const own = await findRootKey(where)
  if (own === undefined) {
    throw wrongKey(
      `The root key of this ${whose} is missing. Put it back as ${join(where.dataDir, rootKeyFile)} or in ENVKEEP_ROOT_KEY; without it the values cannot be read`,
    )
  }
  const keys = withBridge([own], evidence.bridge)
  const fits = opensCanary(keys, evidence) || keyOfCollections(keys, evidence.collections) !== undefined
  if (!fits) throw doesNotFit(whose)
  return keys
}

/** The vault of a store whose tables are up to date; makes the root key at the very first start. */
export async function openVault(db: Db, where: Where, tell: Tell): Promise<Vault> {
  const found = await findRootKey(where)
  const made = found === undefined ? await makeRootKey(where.dataDir).catch(unlessMadeMeanwhile) : undefined
  const rootKey = found ?? made ?? (await findRootKey(where))
  if (rootKey === undefined) throw wrongKey("The root key disappeared while it was being made. Please start again")
  if (made !== undefined) {
    tell(`made a new root key in ${join(where.dataDir, rootKeyFile)}: back it up, nothing can be read without it`)
  }
  const keys = withBridge([rootKey], await readBridge(db))
  if (!(await holdsCanary(db, keys, tell))) {
    // Another node made the first key at the same moment; the one made here has sealed nothing.
    if (made !== undefined) await rm(join(where.dataDir, rootKeyFile))
    throw doesNotFit("store")
  }
  if (keys.length > 1) tell("the root key is being replaced: `npm run rotate-root-key` says what is left to do")
  return createVault(keys, () => findRootKey(where).catch(() => undefined))
}

/** Makes the canary at the very first start, and anew when it is damaged; false when these keys are not the store's. */
async function holdsCanary(db: Db, keys: KeyObject[], tell: Tell): Promise<boolean> {
  const evidence = await readEvidence(db)
  if (opensCanary(keys, evidence)) return true
  const key = isEmpty(evidence) ? keys[0] : keyOfCollections(keys, evidence.collections)
  if (key === undefined) return false
  await putCanary(db, newCanary(key), evidence.canary)
  if (evidence.canary !== undefined) tell("the store's canary was damaged, and has been made anew")
  return opensCanary(keys, { canary: await readCanary(db) })
}

/** Only in the place of what was looked at: another node may have been faster. */
async function putCanary(db: Db, sealed: Uint8Array, damaged: Uint8Array | undefined): Promise<void> {
  if (damaged !== undefined) {
    await db.updateTable("canary").set({ sealed }).where("id", "=", 1).where("sealed", "=", damaged).execute()
    return
  }
  await db
    .insertInto("canary")
    .values({ id: 1, sealed })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Another process on the same folder may have been faster; then its key is ours too. */
function unlessMadeMeanwhile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EEXIST") throw error
}

export function findRootKey({ rootKey, dataDir }: Where): Promise<KeyObject | undefined> {
  return rootKey === undefined ? readRootKey(join(dataDir, rootKeyFile)) : Promise.resolve(keyOf(rootKey))
}

/** Nothing when there is no such file. */
export async function readRootKey(file: string): Promise<KeyObject | undefined> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined
    throw wrongKey(`The root key in ${file} cannot be read: ${error.code}`)
  })
  if (text === undefined) return undefined
  try {
    return keyOf(parseRootKey(text.trim()))
  } catch (fault) {
    throw wrongKey(`The root key in ${file} is damaged: it ${(fault as Error).message}`)
  }
}

async function makeRootKey(dataDir: string): Promise<KeyObject> {
  const rootKey = keyOf(randomBytes(32))
  await makeFolder(dataDir)
  await writeRootKey(join(dataDir, rootKeyFile), rootKey)
  return rootKey
}

/** On the disk before anything is sealed with it: a key lost in a power cut would take the store along. */
export function writeRootKey(file: string, rootKey: KeyObject): Promise<void> {
  return makeFile(file, (unfinished) => writeThrough(unfinished, `${rootKey.export().toString("hex")}\n`))
}

/** True when others on the machine may read the key's file. */
export async function rootKeyIsExposed(dataDir: string): Promise<boolean> {
  const info = await stat(join(dataDir, rootKeyFile)).catch(() => undefined)
  return info !== undefined && (info.mode & 0o077) !== 0
}

const wrongKey = (sentence: string) => new StartError(exitCodes.configuration, sentence)

const doesNotFit = (whose: "store" | "backup") =>
  wrongKey(`The root key does not fit this ${whose}: it was sealed with another one. Nothing was changed`)
