import { type KeyObject, randomBytes } from "node:crypto"
import { readFile, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { makeFile, makeFolder, writeThrough } from "../db/data-folder.ts"
import type { Db } from "../db/schema.ts"
import { exitCodes, StartError } from "../start-error.ts"
import { readBridge, withBridge } from "./root-key-bridge.ts"
import {
  type Evidence,
  isEmpty,
  opensCanary,
  readCanary,
  readEvidence,
  rootKeyOfCollections,
} from "./root-key-evidence.ts"
import { parseRootKey } from "./root-key-text.ts"
import { keyOf } from "./seal.ts"
import { newCanary, type Vault } from "./secrets.ts"
import { createVault } from "./vault.ts"

interface RootKeyLocation {
  /** From the settings. Without it, the key is a file in the data folder. */
  rootKey: Uint8Array | undefined
  dataDir: string
}

type Warn = (line: string) => void

export const rootKeyFile = "root.key"

/** Where the next root key is kept until it replaces the current one. */
export const nextKeyFile = `${rootKeyFile}.next`

/** Old root keys are kept, because older backups need them. */
export const keptKeyPrefix = `${rootKeyFile}.until-`

/**
 * Refuses a root key that does not fit the store before anything is changed, tables included. An empty or missing store
 * accepts any key.
 */
export async function checkRootKey(db: Db, location: RootKeyLocation): Promise<void> {
  const evidence = await readEvidence(db)
  if (!isEmpty(evidence)) await fittingRootKeys(location, evidence, "store")
}

/** The configured root key and, during a rotation, the other one. Refuses keys that the evidence does not confirm. */
export async function fittingRootKeys(
  location: RootKeyLocation,
  evidence: Evidence,
  whose: "store" | "backup",
): Promise<KeyObject[]> {
  const configured = await findRootKey(location)
  if (configured === undefined) {
    throw wrongKey(
      `The root key of this ${whose} is missing. Put it back as ${join(location.dataDir, rootKeyFile)} or in ENVKEEP_ROOT_KEY; without it the values cannot be read`,
    )
  }
  const keys = withBridge([configured], evidence.bridge)
  const fits = opensCanary(keys, evidence) || rootKeyOfCollections(keys, evidence.collections) !== undefined
  if (!fits) throw doesNotFit(whose)
  return keys
}

/** The vault of a store whose tables are up to date. Makes the root key at the very first start. */
export async function openVault(db: Db, location: RootKeyLocation, warn: Warn): Promise<Vault> {
  const found = await findRootKey(location)
  const made = found === undefined ? await makeRootKey(location.dataDir).catch(ignoreExisting) : undefined
  const rootKey = found ?? made ?? (await findRootKey(location))
  if (rootKey === undefined) throw wrongKey("The root key disappeared while it was being made. Please start again")
  if (made !== undefined) {
    warn(`made a new root key in ${join(location.dataDir, rootKeyFile)}: back it up, without it no value can be read`)
  }
  const keys = withBridge([rootKey], await readBridge(db))
  if (!(await ensureCanary(db, keys, warn))) {
    // Another node made the first key at the same time. The key made here has sealed nothing.
    if (made !== undefined) await rm(join(location.dataDir, rootKeyFile))
    throw doesNotFit("store")
  }
  if (keys.length > 1) warn("the root key is being replaced: `npm run rotate-root-key` says what is left to do")
  return createVault(keys, () => findRootKey(location).catch(() => undefined))
}

/** Makes the canary if it is missing or damaged. False if these keys do not belong to the store. */
async function ensureCanary(db: Db, keys: KeyObject[], warn: Warn): Promise<boolean> {
  const evidence = await readEvidence(db)
  if (opensCanary(keys, evidence)) return true
  const key = isEmpty(evidence) ? keys[0] : rootKeyOfCollections(keys, evidence.collections)
  if (key === undefined) return false
  await putCanary(db, newCanary(key), evidence.canary)
  if (evidence.canary !== undefined) warn("the store's canary was damaged and has been replaced")
  return opensCanary(keys, { canary: await readCanary(db) })
}

/** Replaces only the canary that was read: another node may have been faster. */
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

/** Another process in the same folder may have been faster: then we use its key. */
function ignoreExisting(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EEXIST") throw error
}

export function findRootKey({ rootKey, dataDir }: RootKeyLocation): Promise<KeyObject | undefined> {
  return rootKey === undefined ? readRootKey(join(dataDir, rootKeyFile)) : Promise.resolve(keyOf(rootKey))
}

/** Undefined if there is no such file. */
export async function readRootKey(file: string): Promise<KeyObject | undefined> {
  const text = await readAgainOnce(file).catch((error: NodeJS.ErrnoException) => {
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

/** A disk may fail to read once. The exit code for a key that cannot be read stops a supervisor from trying again. */
function readAgainOnce(file: string): Promise<string> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EIO") throw error
    return readFile(file, "utf8")
  })
}

async function makeRootKey(dataDir: string): Promise<KeyObject> {
  const rootKey = keyOf(randomBytes(32))
  await makeFolder(dataDir)
  await writeRootKey(join(dataDir, rootKeyFile), rootKey)
  return rootKey
}

/** On the disk before anything is sealed with it: if a power cut lost the key, the store would be lost too. */
export function writeRootKey(file: string, rootKey: KeyObject): Promise<void> {
  const folder = dirname(file)
  const models = [join(folder, rootKeyFile), folder]
  const content = `${rootKey.export().toString("hex")}\n`
  return makeFile(file, (unfinished) => writeThrough(unfinished, content, models), { ifUnconfirmed: "keep" })
}

/** True if other users of the machine may read the key's file. */
export async function rootKeyIsExposed(dataDir: string): Promise<boolean> {
  const info = await stat(join(dataDir, rootKeyFile)).catch(() => undefined)
  return info !== undefined && (info.mode & 0o077) !== 0
}

const wrongKey = (sentence: string) => new StartError(exitCodes.configuration, sentence)

const doesNotFit = (whose: "store" | "backup") =>
  wrongKey(`The root key does not fit this ${whose}: it was sealed with another one. Nothing was changed`)
