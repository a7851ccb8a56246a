import { type KeyObject, randomBytes } from "node:crypto"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { Config } from "../config.ts"
import type { Db } from "../db/schema.ts"
import { findRootKey, fittingRootKeys, readRootKey, rootKeyFile, writeRootKey } from "../keys/root-key.ts"
import { deleteBridge, insertBridge, readBridge, type StoredBridge } from "../keys/root-key-bridge.ts"
import { readEvidence } from "../keys/root-key-evidence.ts"
import {
  type BothKeys,
  nextKeyFile,
  type Rewrapped,
  replaceKeyFile,
  rewrapAll,
  switchCanary,
} from "../keys/root-key-rotation.ts"
import { keyOf } from "../keys/seal.ts"
import { crossBridge, newBridge } from "../keys/secrets.ts"
import { exitCodes, StartError } from "../start/start-error.ts"
import type { CommandResult } from "./admin.ts"

export const rotateUsage = "usage: npm run rotate-root-key [-- --new-key-file <file> | -- --finish]"

type Settings = Pick<Config, "rootKey" | "dataDir" | "databaseUrl">

/**
 * Replaces the root key while servers run. Run again, it goes on from wherever it was ended. A key in a file is replaced
 * at once; one in the settings of several nodes can be replaced only by whoever keeps those, so there the bridge between
 * the two keys stays until `--finish`.
 */
export async function rotateCommand(db: Db, settings: Settings, args: string[]): Promise<CommandResult> {
  const [option, file, ...rest] = args
  const isFinish = option === "--finish" && file === undefined
  const isGiven = option === "--new-key-file" && file !== undefined && rest.length === 0
  if (option !== undefined && !isFinish && !isGiven) return { exitCode: exitCodes.misuse, out: [], err: [rotateUsage] }

  const own = await ownRootKey(db, settings)
  if (isFinish && (await readBridge(db)) === undefined)
    return done(["The root key is not being replaced: nothing to finish"])
  const bridge = await findOrBuildBridge(db, settings, own, isGiven ? file : undefined)
  const keys = crossBridge(own, bridge)
  if (keys === undefined) throw refused("The root key is being replaced by another one than this. Nothing was changed")
  const isNew = keys.next.equals(own)
  if (isFinish && !isNew && settings.rootKey !== undefined) {
    throw refused("ENVKEEP_ROOT_KEY is still the old root key. Set the new one on every node, then finish")
  }
  if (!isNew && !isGiven) await keepNextKey(settings.dataDir, keys.next)

  await switchCanary(db, keys)
  const rewrapped = await rewrapAll(db, keys)
  if (settings.rootKey === undefined) return inFile(db, settings, { keys, isNew, bridge, rewrapped })
  return inSettings(db, settings, { keys, isFinish, isNew, bridge, rewrapped, given: isGiven ? file : undefined })
}

async function ownRootKey(db: Db, settings: Settings): Promise<KeyObject> {
  const evidence = await readEvidence(db)
  if (evidence.canary === undefined)
    throw new StartError(exitCodes.failure, "This store was never used. Start Envkeep once first")
  await fittingRootKeys(settings, evidence, "store")
  const own = await findRootKey(settings)
  if (own === undefined) throw refused("The root key disappeared. Please try again")
  return own
}

/** The next key is on the disk before the store knows of it: what is sealed under it must never be out of reach. */
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
  if (bridge === undefined) throw refused("The root key was replaced meanwhile by somebody else")
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

/** What a run that was ended early has left is as good as new, unless it is what is to be replaced. */
async function makeNextKey(dataDir: string, own: KeyObject): Promise<KeyObject> {
  const file = join(dataDir, nextKeyFile)
  const left = await readRootKey(file)
  if (left !== undefined && !left.equals(own)) return left
  await rm(file, { force: true })
  const next = keyOf(randomBytes(32))
  await writeRootKey(file, next)
  return next
}

async function keepNextKey(dataDir: string, next: KeyObject): Promise<void> {
  const file = join(dataDir, nextKeyFile)
  const there = await readRootKey(file).catch(() => undefined)
  if (there?.equals(next)) return
  await rm(file, { force: true })
  await writeRootKey(file, next)
}

interface State {
  keys: BothKeys
  /** Whether this command was given the next key rather than the one before it. */
  isNew: boolean
  bridge: StoredBridge
  rewrapped: Rewrapped
}

/** Servers on the same folder read the file again when they meet what their key does not open, so the bridge can go. */
async function inFile(db: Db, { dataDir, databaseUrl }: Settings, state: State): Promise<CommandResult> {
  const { isNew, bridge, rewrapped, keys } = state
  if (!isNew) await keepNextKey(dataDir, keys.next)
  const kept = isNew ? undefined : await replaceKeyFile(dataDir, keys, bridge.startedAt)
  await deleteBridge(db, bridge)
  const out = [
    `The root key in ${join(dataDir, rootKeyFile)} is a new one, and wraps the keys of ${collections(rewrapped.count)}: back it up`,
  ]
  if (kept !== undefined) out.push(`The old one is kept in ${kept}: backups that were taken before now need it`)
  if (databaseUrl !== undefined) out.push("Nodes with a data folder of their own need the new file too")
  return done(out, rewrapped)
}

async function inSettings(
  db: Db,
  { dataDir }: Settings,
  { isFinish, isNew, bridge, rewrapped, given }: State & { isFinish: boolean; given: string | undefined },
): Promise<CommandResult> {
  const waiting = join(dataDir, nextKeyFile)
  if (isFinish) {
    await deleteBridge(db, bridge)
    await rm(waiting, { force: true })
    return done(
      [
        `The root key is replaced, and wraps the keys of ${collections(rewrapped.count)}`,
        "The old one opens nothing here any more; backups that were taken with it still need it",
      ],
      rewrapped,
    )
  }
  const finish =
    "When every node has it, run `npm run rotate-root-key -- --finish` with it; until then, whoever has the old one and the database can find the new one"
  if (isNew)
    return done(["ENVKEEP_ROOT_KEY is the new root key here, and the old one goes on working", finish], rewrapped)
  return done(
    [
      `The new root key is in ${given ?? waiting}, and wraps the keys of ${collections(rewrapped.count)}`,
      "Set ENVKEEP_ROOT_KEY to it on every node and restart them one after the other; the old one goes on working meanwhile",
      finish,
    ],
    rewrapped,
  )
}

function done(out: string[], rewrapped?: Rewrapped): CommandResult {
  const err = (rewrapped?.damaged ?? []).map(
    ({ id, name }) => `the key of the collection ${name} (id ${id}) was damaged before and stays so`,
  )
  return { exitCode: 0, out, err }
}

const collections = (count: number) => (count === 1 ? "1 collection" : `${count.toLocaleString("en-US")} collections`)

const refused = (sentence: string) => new StartError(exitCodes.configuration, sentence)
