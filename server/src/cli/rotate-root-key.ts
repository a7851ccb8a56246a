import { type KeyObject, randomBytes } from "node:crypto"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { Config } from "../config.ts"
import { makeFolder } from "../db/data-folder.ts"
import type { Db } from "../db/schema.ts"
import {
  checkRootKey,
  findRootKey,
  fittingRootKeys,
  nextKeyFile,
  readRootKey,
  rootKeyFile,
  writeRootKey,
} from "../keys/root-key.ts"
import { deleteBridge, insertBridge, readBridge, type StoredBridge } from "../keys/root-key-bridge.ts"
import { readEvidence } from "../keys/root-key-evidence.ts"
import { keyOf } from "../keys/seal.ts"
import { crossBridge, newBridge } from "../keys/secrets.ts"
import { exitCodes, StartError } from "../start-error.ts"
import { defineCommand, MisuseError } from "./command.ts"
import { type CommandResult, success } from "./command-result.ts"
import {
  type BothKeys,
  type Rewrapped,
  replaceKeyFile,
  resealMail,
  rewrapAll,
  rewrapChainKey,
  rewrapTotpSecrets,
  switchCanary,
} from "./root-key-rotation.ts"

type Settings = Pick<Config, "rootKey" | "dataDir" | "databaseUrl">

/**
 * Replaces the root key while servers run. Run again after it was interrupted, it continues. A key in a file is replaced at
 * once. A key in the settings of several nodes can be replaced only by the person who keeps those settings, so there the
 * bridge between the two keys stays until `--finish`.
 */
export const rotateRootKeyCommand = defineCommand({
  name: "rotate-root-key",
  summary: "Replaces the root key. The servers may keep running",
  usage: "npm run rotate-root-key [-- --new-key-file <file> | -- --finish]",
  help: [
    "--new-key-file <file>  takes the new key from a file instead of making one",
    "--finish               gives the old key up, once every node has the new one in ENVKEEP_ROOT_KEY",
  ],
  options: { "new-key-file": { type: "string" }, finish: { type: "boolean", default: false } },
  async run(context, { "new-key-file": givenFile, finish }, positionals) {
    if (positionals.length > 0 || (finish && givenFile !== undefined)) throw new MisuseError()
    const store = await context.openStore({ isUnhurried: false })
    // Before the migration, so that nothing changes under a wrong key.
    await checkRootKey(store.db, context.config)
    await context.migrate(store)
    const newKeyFile = givenFile === undefined ? undefined : context.absolutePath(givenFile)
    return rotateRootKey(store.db, context.config, { finish, newKeyFile })
  },
})

async function rotateRootKey(
  db: Db,
  settings: Settings,
  { finish, newKeyFile }: { finish: boolean; newKeyFile: string | undefined },
): Promise<CommandResult> {
  const own = await ownRootKey(db, settings)
  if (finish && (await readBridge(db)) === undefined) {
    return success(["The root key is not being replaced: nothing to finish"])
  }
  const bridge = await findOrBuildBridge(db, settings, own, newKeyFile)
  const keys = crossBridge(own, bridge)
  if (keys === undefined) throw refused("The root key is being replaced by another one than this. Nothing was changed")
  const isNew = keys.next.equals(own)
  if (finish && !isNew && settings.rootKey !== undefined) {
    throw refused("ENVKEEP_ROOT_KEY is still the old root key. Set the new one on every node, then finish")
  }
  if (!isNew && newKeyFile === undefined) await keepNextKey(settings.dataDir, keys.next)

  await switchCanary(db, keys)
  const rewrapped = await rewrapAll(db, keys)
  await rewrapChainKey(db, keys)
  await rewrapTotpSecrets(db, keys)
  await resealMail(db, keys)
  const progress = { keys, isNew, bridge, rewrapped }
  if (settings.rootKey === undefined) return replaceInFile(db, settings, progress)
  return finish ? finishInSettings(db, settings, progress) : replaceInSettings(settings, progress, newKeyFile)
}

async function ownRootKey(db: Db, settings: Settings): Promise<KeyObject> {
  const evidence = await readEvidence(db)
  if (evidence.canary === undefined) {
    throw new StartError(exitCodes.failure, "This store was never used. Start Envkeep once first")
  }
  await fittingRootKeys(settings, evidence, "store")
  const own = await findRootKey(settings)
  if (own === undefined) throw refused("The root key disappeared. Try again")
  return own
}

/** The next key is on disk before the store uses it: nothing may be sealed under a key that could be lost. */
async function findOrBuildBridge(
  db: Db,
  { dataDir }: Settings,
  own: KeyObject,
  givenFile: string | undefined,
): Promise<StoredBridge> {
  const given = givenFile === undefined ? undefined : await givenKey(givenFile, own)
  let bridge = await readBridge(db)
  if (bridge === undefined) {
    const next = given ?? (await makeNextKey(dataDir, own))
    await insertBridge(db, { ...newBridge(own, next), startedAt: Date.now() })
    bridge = await readBridge(db)
  }
  if (bridge === undefined) throw refused("Another command replaced the root key at the same time")
  if (given !== undefined && !crossBridge(own, bridge)?.next.equals(given)) {
    throw refused("The root key is being replaced by another one already. Run it again without --new-key-file")
  }
  return bridge
}

async function givenKey(file: string, own: KeyObject): Promise<KeyObject> {
  const given = await readRootKey(file)
  if (given === undefined) throw refused(`There is no file ${file}`)
  if (given.equals(own)) throw refused(`The key in ${file} is the root key already`)
  return given
}

/** A key left by an interrupted run is as good as a new one, unless it is the key to be replaced. */
async function makeNextKey(dataDir: string, own: KeyObject): Promise<KeyObject> {
  const file = join(dataDir, nextKeyFile)
  const left = await readRootKey(file)
  if (left !== undefined && !left.equals(own)) return left
  const next = keyOf(randomBytes(32))
  await writeNextKey(dataDir, next)
  return next
}

async function keepNextKey(dataDir: string, next: KeyObject): Promise<void> {
  const there = await readRootKey(join(dataDir, nextKeyFile)).catch(() => undefined)
  if (there?.equals(next)) return
  await writeNextKey(dataDir, next)
}

async function writeNextKey(dataDir: string, next: KeyObject): Promise<void> {
  // A server on PostgreSQL with its key in the settings keeps nothing in it, and never makes it.
  await makeFolder(dataDir)
  const file = join(dataDir, nextKeyFile)
  await rm(file, { force: true })
  await writeRootKey(file, next)
}

interface Progress {
  keys: BothKeys
  /** Whether this command was started with the next key rather than the old one. */
  isNew: boolean
  bridge: StoredBridge
  rewrapped: Rewrapped
}

/** Servers on the same folder read the file again when their key does not open something, so the bridge can go. */
async function replaceInFile(db: Db, { dataDir, databaseUrl }: Settings, progress: Progress): Promise<CommandResult> {
  const { isNew, bridge, rewrapped, keys } = progress
  if (!isNew) await keepNextKey(dataDir, keys.next)
  const kept = isNew ? undefined : await replaceKeyFile(dataDir, keys, bridge.startedAt)
  await deleteBridge(db, bridge)
  const out = [
    `The root key in ${join(dataDir, rootKeyFile)} is a new one, and wraps the keys of ${collections(rewrapped.count)}: back it up`,
  ]
  if (kept !== undefined) out.push(`The old one is kept in ${kept}: backups that were taken before now need it`)
  if (databaseUrl !== undefined) out.push("Nodes with a data folder of their own need the new file too")
  return success(out, damagedBefore(rewrapped))
}

async function finishInSettings(
  db: Db,
  { dataDir }: Settings,
  { bridge, rewrapped }: Progress,
): Promise<CommandResult> {
  await deleteBridge(db, bridge)
  await rm(join(dataDir, nextKeyFile), { force: true })
  const out = [
    `The root key is replaced, and wraps the keys of ${collections(rewrapped.count)}`,
    "The old one opens nothing here any more; backups that were taken with it still need it",
  ]
  return success(out, damagedBefore(rewrapped))
}

function replaceInSettings(
  { dataDir }: Settings,
  { isNew, rewrapped }: Progress,
  newKeyFile = join(dataDir, nextKeyFile),
): CommandResult {
  const toFinish =
    "When every node has it, run `npm run rotate-root-key -- --finish` with it; until then, anyone who has the old one and the database can find the new one"
  const out = isNew
    ? ["ENVKEEP_ROOT_KEY is the new root key here, and the old one goes on working", toFinish]
    : [
        `The new root key is in ${newKeyFile}, and wraps the keys of ${collections(rewrapped.count)}`,
        "Set ENVKEEP_ROOT_KEY to it on every node and restart them one after the other; until then, the old one goes on working",
        toFinish,
      ]
  return success(out, damagedBefore(rewrapped))
}

function damagedBefore({ damaged }: Rewrapped): string[] {
  return damaged.map(({ id, name }) => `the key of the collection ${name} (id ${id}) was damaged before and stays so`)
}

const collections = (count: number) => (count === 1 ? "1 collection" : `${count.toLocaleString("en-US")} collections`)

const refused = (sentence: string) => new StartError(exitCodes.configuration, sentence)
