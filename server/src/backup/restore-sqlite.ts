import { existsSync } from "node:fs"
import { chmod, link, mkdtemp, rename, rm, stat, unlink } from "node:fs/promises"
import { join } from "node:path"
import { sql } from "kysely"
import { makeFolder, syncToDisk, timeStamp } from "../db/data-folder.ts"
import { isDiskFull, isUnreachable } from "../db/faults.ts"
import { givePathToOwnerOf } from "../db/file-owner.ts"
import { foldIntoOneFile } from "../db/fold-log.ts"
import { openDatabase, sqliteFile } from "../db/open.ts"
import type { Db } from "../db/schema.ts"
import { isDamagedStore, mayBeWritten, sqliteCompanions } from "../db/sqlite-file.ts"
import { inTransaction } from "../db/transaction.ts"
import { exitCodes, StartError } from "../start-error.ts"
import { fillStore, highestGiven } from "./fill.ts"
import {
  cannotLook,
  holdsSomething,
  isRunning,
  type Restored,
  type RestoreSource,
  wouldOverwrite,
  wouldReplaceDamaged,
} from "./refusals.ts"

/**
 * Builds the restored store beside the present one, then swaps them in one step: if this fails at any point, the present
 * one stays as it was. Returns where the present one is kept, if there was one.
 */
export async function restoreSqlite(dataDir: string, source: RestoreSource): Promise<Restored> {
  await makeFolder(dataDir)
  const present = join(dataDir, sqliteFile)
  const highest = existsSync(present) ? await inspectPresent(dataDir, source.force) : 0
  const workDir = await mkdtemp(join(dataDir, ".restore-"))
  // A failure here must not hide why the restore failed, nor that it succeeded.
  const remove = () =>
    rm(workDir, { recursive: true, force: true }).then(
      () => undefined,
      () => workDir,
    )
  try {
    // What is made in it is its owner's, and so is the restored store.
    await givePathToOwnerOf([present, dataDir], workDir)
    const leftOut = await build(workDir, source, highest)
    const swapped = await swapIn(join(workDir, sqliteFile), dataDir)
    return { leftOut, ...swapped, leftover: await remove() }
  } catch (error) {
    await remove()
    throw error
  }
}

/** Returns how many rows were left out. */
async function build(workDir: string, source: RestoreSource, highest: number): Promise<number> {
  const { db } = await openDatabase({ dataDir: workDir, lockWaitMs: 0 })
  let leftOut: number
  try {
    await writeWithoutLog(db)
    leftOut = await inTransaction(db, (tx) => fillStore(tx, source, highest))
    if (!(await foldIntoOneFile(db))) throw isRunning()
  } finally {
    await db.destroy()
  }
  await syncToDisk(join(workDir, sqliteFile))
  return leftOut
}

/**
 * For a file that is thrown away if anything fails. With the log, everything would be written twice, and there would have to
 * be room for both. The file is brought to the disk when it is finished.
 */
async function writeWithoutLog(db: Db): Promise<void> {
  // In memory: of a new file, there is next to nothing to undo.
  await sql`pragma journal_mode = memory`.execute(db)
  await sql`pragma synchronous = off`.execute(db)
}

/** Refuses a store that holds something or is in use. Otherwise returns the highest number it has given, if that can be read. */
async function inspectPresent(dataDir: string, force: boolean): Promise<number> {
  const file = join(dataDir, sqliteFile)
  try {
    return await readPresent(dataDir, force)
  } catch (error) {
    if (!isDamagedStore(error, file)) {
      const isInUse = error instanceof StartError || isUnreachable(error)
      if (!force || isInUse || isDiskFull(error)) throw error
      // What is wrong with the file or its rows has no say in whether it is replaced. A server of its user could be running.
      if (!mayBeWritten(file)) throw cannotLook(file)
    }
    if (!force) throw wouldReplaceDamaged(file, (error as Error).message)
    return 0
  }
}

async function readPresent(dataDir: string, force: boolean): Promise<number> {
  const { db } = await openDatabase({ dataDir, lockWaitMs: 0 })
  try {
    if (!force && (await holdsSomething(db))) throw wouldOverwrite(dataDir)
    if (!(await foldIntoOneFile(db))) throw isRunning()
    return await highestGiven(db)
  } finally {
    await db.destroy()
  }
}

type Swapped = Pick<Restored, "aside" | "unconfirmed">

/** Until the restored store has the name, a failure leaves the present one as it was. */
async function swapIn(restored: string, dataDir: string): Promise<Swapped> {
  const present = join(dataDir, sqliteFile)
  const hasPresent = existsSync(present)
  const aside = `${present}.before-restore-${timeStamp()}`
  if (existsSync(aside)) throw new StartError(exitCodes.failure, `There is a file ${aside} already. Please try again`)
  // Once more, because filling takes time and a server may have been started since.
  if (hasPresent) await inspectPresent(dataDir, true)
  const undo: (() => Promise<void>)[] = []
  try {
    // Left over beside a damaged file, or by one that was moved away. SQLite would write them over the restored file.
    for (const part of sqliteCompanions.filter((one) => existsSync(`${present}${one}`))) {
      await rename(`${present}${part}`, `${aside}${part}`)
      undo.push(() => rename(`${aside}${part}`, `${present}${part}`))
    }
    // Gone on the disk too, before the restored file is there.
    await syncToDisk(dataDir)
    if (hasPresent) {
      await takeMode(restored, present)
      undo.push(await keepAs(present, aside))
    }
    await rename(restored, present)
  } catch (error) {
    // A failure here must not hide the first one.
    for (const step of undo.toReversed()) await step().catch(() => undefined)
    throw error
  }
  return { aside: hasPresent ? aside : undefined, unconfirmed: await failureToSync(dataDir) }
}

/** The restored store is there all the same, so its users must not read that nothing was changed. */
async function failureToSync(folder: string): Promise<string | undefined> {
  try {
    await syncToDisk(folder)
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message
  }
}

async function takeMode(restored: string, present: string): Promise<void> {
  const found = await stat(present)
  if (found.isFile()) await chmod(restored, found.mode & 0o777)
}

/** A file stays in its place until the restored one takes it. A folder cannot have two names, so it is moved. Returns the way back. */
async function keepAs(present: string, aside: string): Promise<() => Promise<void>> {
  if ((await stat(present)).isDirectory()) {
    await rename(present, aside)
    return () => rename(aside, present)
  }
  await link(present, aside)
  return () => unlink(aside)
}
