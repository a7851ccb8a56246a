import { appliedMigrations } from "../db/migrator.ts"
import type { Db } from "../db/schema.ts"
import { tableNames } from "../db/stored-tables.ts"
import type { Vault } from "../keys/secrets.ts"
import { exitCodes, StartError } from "../start-error.ts"

/** What is restored. */
export interface RestoreSource {
  file: string
  /** Opens what the backup holds. */
  vault: Vault
  /** Also over a store that holds something. */
  force: boolean
}

export interface Restored {
  /** How many rows were left out because what they belonged to is not in the backup. */
  leftOut: number
  /** The file with the embedded store that was there before. */
  aside?: string | undefined
  /** Why the disk has not confirmed that the restored store is in its place. */
  unconfirmed?: string | undefined
  /** A folder that is no longer needed, and could not be deleted. */
  leftover?: string | undefined
}

/** All that people have made belongs to one of these. The server counts and notes things before anyone uses it. */
const peoplesTables = ["user", "team", "collection", "product"] as const

/** True when there is something to lose. A store that was only started holds nothing yet. */
export async function holdsSomething(db: Db): Promise<boolean> {
  if ((await appliedMigrations(db)).length === 0) return false
  const stored = await tableNames(db)
  for (const table of peoplesTables.filter((name) => stored.has(name))) {
    const row = await db.selectFrom(table).select("id").limit(1).executeTakeFirst()
    if (row !== undefined) return true
  }
  return false
}

export const wouldOverwrite = (what: string) =>
  new StartError(
    exitCodes.failure,
    `There is a store in ${what} already. Nothing was changed; add --force to restore in its place`,
  )

export const wouldReplaceDamaged = (file: string, reason: string) =>
  new StartError(
    exitCodes.damaged,
    `There is a store in ${file} already, which is damaged: ${reason}. Nothing was changed; add --force to restore in its place`,
  )

export const cannotLook = (file: string) =>
  new StartError(
    exitCodes.cannotWrite,
    `This user may not read and write ${file}, so it cannot be seen whether a server is running on it. Nothing was changed; restore as the user of the server, or give them the file`,
  )

export const isRunning = () =>
  new StartError(exitCodes.failure, "A server is running on this store. Nothing was changed; stop it, then restore")
