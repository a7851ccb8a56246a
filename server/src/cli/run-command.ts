import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { ensureChain } from "../audit/begin.ts"
import { backupBeforehand } from "../backup/beforehand.ts"
import type { Config } from "../config.ts"
import { engineOf } from "../db/engine.ts"
import { isOpenElsewhere } from "../db/fold-log.ts"
import type { Migration } from "../db/migrate.ts"
import { migrations } from "../db/migrations/list.ts"
import { appliedMigrations } from "../db/migrator.ts"
import type { DatabaseLog, OpenDatabase } from "../db/open.ts"
import { keepServersOut } from "../db/postgres-locks.ts"
import type { Db } from "../db/schema.ts"
import { fittingRootKeys } from "../keys/root-key.ts"
import { isEmpty, readEvidence } from "../keys/root-key-evidence.ts"
import { vaultOf } from "../keys/vault.ts"
import { bringUpToDate } from "../start/bring-up-to-date.ts"
import { openExistingStore } from "../start/open-store.ts"
import { toStartError } from "../start/to-start-error.ts"
import { exitCodes, StartError } from "../start-error.ts"
import { type Command, MisuseError } from "./command.ts"
import type { CommandResult } from "./command-result.ts"

interface CommandSettings {
  config: Config
  /** Where the user is; files are named from there. */
  workingDir: string
  /** For what has to be said while the command runs. */
  warn(line: string): void
  /** Asks the user at the terminal. Undefined where there is none. */
  ask?: ((question: string) => Promise<string>) | undefined
  /** Told of every statement. */
  logQuery?: DatabaseLog | undefined
}

/** Runs a command. What it opened is closed, whatever happens; what it throws is made readable where that is possible. */
export async function runCommand(command: Command, args: string[], settings: CommandSettings): Promise<CommandResult> {
  const { config, workingDir, warn, ask, logQuery } = settings
  const opened: OpenDatabase[] = []
  try {
    const { values, positionals } = parse(command, args)
    const context = {
      config,
      ask,
      async openStore({ readOnly = false, isUnhurried = true } = {}) {
        const store = await openExistingStore(config, { log: logQuery, readOnly, isUnhurried })
        opened.push(store)
        return store
      },
      async migrate({ db }: OpenDatabase) {
        if (engineOf(db) === "sqlite" && (await isBehind(db)) && (await isOpenElsewhere(db))) throw openElsewhere()
        const backup = backupBeforehand(config, warn)
        const beforehand = async (tx: Db, pending: readonly Migration[]) => {
          if (engineOf(tx) === "postgres" && !(await keepServersOut(tx))) throw ofEarlierServer()
          await backup(tx, pending)
        }
        const applied = await bringUpToDate(db, config, { beforehand, say: warn })
        const evidence = await readEvidence(db)
        // In a store that was never used there is nothing that a command could change.
        if (isEmpty(evidence)) return
        await ensureChain(db, applied, async () => vaultOf(await fittingRootKeys(config, evidence, "store")))
      },
      absolutePath: (file: string) => resolve(workingDir, file),
    }
    return await command.run(context, values, positionals)
  } catch (error) {
    if (error instanceof MisuseError) return { exitCode: exitCodes.misuse, out: [], err: [`usage: ${command.usage}`] }
    throw await toStartError(error, config)
  } finally {
    for (const { db } of opened) await db.destroy()
  }
}

async function isBehind(db: Db): Promise<boolean> {
  const applied = await appliedMigrations(db)
  return applied.length > 0 && applied.length < migrations.length
}

/** It could not write while its tables are changed, and might not work with them afterwards. */
function ofEarlierServer(): StartError {
  return new StartError(
    exitCodes.configuration,
    "The store is of an earlier version, and a server of that version is running. Start the server of this version instead, then run this command again",
  )
}

/** What it is cannot be known: the file shows only that it is open. */
function openElsewhere(): StartError {
  return new StartError(
    exitCodes.configuration,
    "The store is of an earlier version, and another process has it open: a server of that version, a server that is bringing it up to date, or another command. Wait until it is done, or stop it, and then run this command again",
  )
}

function parse({ options }: Command, args: string[]) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new MisuseError("the arguments cannot be parsed", { cause: error })
  }
}
