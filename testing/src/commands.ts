import { join } from "node:path"
import { adminCommand } from "@envkeep/server/cli/admin.ts"
import { backupCommand } from "@envkeep/server/cli/backup.ts"
import type { Command } from "@envkeep/server/cli/command.ts"
import type { CommandResult } from "@envkeep/server/cli/command-result.ts"
import { restoreCommand } from "@envkeep/server/cli/restore.ts"
import { rotateRootKeyCommand } from "@envkeep/server/cli/rotate-root-key.ts"
import { runCommand } from "@envkeep/server/cli/run-command.ts"
import { verifyAuditCommand } from "@envkeep/server/cli/verify-audit.ts"
import { readConfig } from "@envkeep/server/config.ts"
import type { LogEvent } from "kysely"
import { newStoreLocation, type StoreLocation } from "./database.ts"

// The commands as a person runs them beside the server: on connections of their own.

export type LogQuery = (event: LogEvent) => void | Promise<void>

interface CommandCall {
  args?: string[]
  env?: Record<string, string>
  logQuery?: LogQuery | undefined
  /** What the user types at the terminal; without it, there is none. */
  answer?: string
}

export function callCommand(
  command: Command,
  { dataDir, databaseUrl }: StoreLocation,
  { args = [], env = {}, logQuery, answer }: CommandCall = {},
): Promise<CommandResult> {
  const config = readConfig({ ENVKEEP_DATA_DIR: dataDir, DATABASE_URL: databaseUrl, ...env })
  return runCommand(command, args, {
    config,
    workingDir: dataDir,
    warn: () => undefined,
    ask: answer === undefined ? undefined : async () => answer,
    // The command's own steps begin after the question whether the database can be used.
    logQuery: (event) => (event.query.sql === "show server_encoding" ? undefined : logQuery?.(event)),
  })
}

export function admin(location: StoreLocation, ...args: string[]): Promise<CommandResult> {
  return callCommand(adminCommand, location, { args })
}

export function backUp(location: StoreLocation, file: string, logQuery?: LogQuery): Promise<CommandResult> {
  return callCommand(backupCommand, location, { args: [file], logQuery })
}

export function restore(location: StoreLocation, ...args: string[]): Promise<CommandResult> {
  return callCommand(restoreCommand, location, { args })
}

export function rotate(location: StoreLocation, call?: CommandCall): Promise<CommandResult> {
  return callCommand(rotateRootKeyCommand, location, call)
}

export function verifyAudit(location: StoreLocation, ...args: string[]): Promise<CommandResult> {
  return callCommand(verifyAuditCommand, location, { args })
}

/** A name for a backup in a folder of its own. */
export async function backupFile(): Promise<string> {
  return join((await newStoreLocation()).dataDir, "envkeep.backup")
}
