import { randomBytes } from "node:crypto"
import { link, open, readFile, rm, stat } from "node:fs/promises"
import { join } from "node:path"
import { parseRootKey } from "./config.ts"
import { canaryOpens, newCanary, type Vault, vaultOf } from "./crypto/vault.ts"
import { makeFolder } from "./data-folder.ts"
import type { Db } from "./db/schema.ts"
import { exitCodes, StartError } from "./start-error.ts"

interface Where {
  /** From the settings; otherwise the key is a file in the data folder. */
  rootKey: Uint8Array | undefined
  dataDir: string
}

/** Says something to whoever started the server. */
type Tell = (line: string) => void

export const rootKeyFile = "root.key"

/**
 * Refuses a root key that does not fit the store before anything is touched, the tables included. Tells nothing when the
 * store is empty or not there yet.
 */
export async function checkRootKey(db: Db, where: Where): Promise<void> {
  const canary = await readCanary(db)
  if (canary === undefined) return
  const rootKey = await findRootKey(where)
  if (rootKey === undefined) {
    throw wrongKey(
      `The root key of this store is missing. Put it back as ${join(where.dataDir, rootKeyFile)} or in ENVKEEP_ROOT_KEY; without it the values cannot be read`,
    )
  }
  if (!canaryOpens(vaultOf(rootKey), canary)) throw doesNotFit()
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
  const vault = vaultOf(rootKey)
  await db
    .insertInto("canary")
    .values({ id: 1, sealed: newCanary(vault) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const canary = await readCanary(db)
  if (canary === undefined || !canaryOpens(vault, canary)) {
    // Another node made the first key at the same moment; the one made here has sealed nothing.
    if (made !== undefined) await rm(join(where.dataDir, rootKeyFile))
    throw doesNotFit()
  }
  return vault
}

/** Another process on the same folder may have been faster; then its key is ours too. */
function unlessMadeMeanwhile(error: NodeJS.ErrnoException): undefined {
  if (error.code !== "EEXIST") throw error
}

async function findRootKey({ rootKey, dataDir }: Where): Promise<Uint8Array | undefined> {
  if (rootKey !== undefined) return rootKey
  const file = join(dataDir, rootKeyFile)
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined
    throw wrongKey(`The root key in ${file} cannot be read: ${error.code}`)
  })
  if (text === undefined) return undefined
  try {
    return parseRootKey(text.trim())
  } catch (fault) {
    throw wrongKey(`The root key in ${file} is damaged: it ${(fault as Error).message}`)
  }
}

/**
 * Written through to the disk before anything is sealed with it: a key lost in a power cut would take the store along. It
 * appears under its name whole or not at all, and never in place of one that another process has just made.
 */
async function makeRootKey(dataDir: string): Promise<Uint8Array> {
  const rootKey = randomBytes(32)
  await makeFolder(dataDir)
  const unfinished = join(dataDir, `.${rootKeyFile}.${randomBytes(6).toString("hex")}`)
  const file = await open(unfinished, "wx", 0o600)
  try {
    await file.writeFile(`${rootKey.toString("hex")}\n`)
    await file.sync()
    await link(unfinished, join(dataDir, rootKeyFile))
  } finally {
    await file.close()
    await rm(unfinished)
  }
  const folder = await open(dataDir, "r")
  await folder.sync()
  await folder.close()
  return rootKey
}

/** True when others on the machine may read the key's file. */
export async function rootKeyIsExposed(dataDir: string): Promise<boolean> {
  const info = await stat(join(dataDir, rootKeyFile)).catch(() => undefined)
  return info !== undefined && (info.mode & 0o077) !== 0
}

async function readCanary(db: Db): Promise<Uint8Array | undefined> {
  const tables = await db.introspection.getTables()
  if (!tables.some((table) => table.name === "canary")) return undefined
  const row = await db.selectFrom("canary").select("sealed").where("id", "=", 1).executeTakeFirst()
  return row?.sealed
}

const wrongKey = (sentence: string) => new StartError(exitCodes.configuration, sentence)

const doesNotFit = () =>
  wrongKey("The root key does not fit this store: it was sealed with another one. Nothing was changed")
